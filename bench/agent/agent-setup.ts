import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText, tool } from "ai";
import type { ModelMessage, ToolSet } from "ai";
import { createCodingAgent } from "../../packages/holdfast/src/agent/coding/coding-agent.ts";
import { readEnvironment } from "../../packages/holdfast/src/agent/coding/environment.ts";
import {
  systemPrompt,
  toolDefinitions,
} from "../../packages/holdfast/src/agent/coding/system-prompt.ts";
import type { ToolDefinition } from "../../packages/holdfast/src/agent/model/model.ts";
import { openModel } from "../../packages/holdfast/src/agent/model/providers.ts";
import { createRememberedRules } from "../../packages/holdfast/src/agent/permissions/remembered.ts";
import { createRedactor } from "../../packages/holdfast/src/agent/redact.ts";
import { redactedAgent } from "../../packages/holdfast/src/agent/redacted-agent.ts";
import { codingTools } from "../../packages/holdfast/src/agent/tools/all.ts";
import { usualSetup } from "../../packages/holdfast/src/agent/usual-setup.ts";
import type { Runtime } from "../../packages/holdfast/src/runtime/runtime.ts";
import type { Engine } from "../engine/engine.ts";
import { openRuntime } from "../runner/runtime.ts";
import { startModelProcess } from "./model-process.ts";

/** Holdfast's coding agent and the bare AI SDK, both with the same model, tools and system prompt. */
export interface AgentSetup {
  readonly holdfast: Runtime;
  /** Creates a session. If it has a title, no extra model call generates one during the measurement. */
  newSession(options?: { readonly title: string }): Promise<string>;
  /** Returns a function that calls the bare AI SDK once, with the given number of exchanges before the prompt. */
  bareCall(exchanges: number, text: string): () => Promise<void>;
  close(): Promise<void>;
}

const key = "sk-bench-0123456789abcdef";
const providerName = "local";
const modelName = "bench";

export async function openAgentSetup(engine: Engine, maxRuns: number): Promise<AgentSetup> {
  const model = await startModelProcess();
  const { baseUrl } = model;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-bench-agent-")));
  const provider = { name: providerName, key, baseUrl, defaultModel: null };
  const language = openModel([provider], `${providerName}/${modelName}`);
  const tools = codingTools();
  const system = systemPrompt({
    directory: folder,
    environment: await readEnvironment(folder, Date.now()),
    model: language.id,
    context: language.limits.context,
    tools: tools.map(({ name }) => name),
    instructions: [],
  });
  const redactor = createRedactor([key]);
  const models = { chosen: language.id, small: null, providers: [providerName], disconnected: [] };
  const setup = usualSetup({
    models: { ...models, open: async () => language, release: () => {} },
    tools,
  });
  const agent = createCodingAgent({
    setup: () => setup,
    remembered: createRememberedRules(join(folder, "permissions"), {
      redact: (text) => redactor.redact(text),
    }),
    stallAfter: 60_000,
    endAfter: 600_000,
    maxTries: 1,
    random: Math.random,
  });
  const holdfast = await openRuntime({
    place: await engine.newPlace(),
    agent: redactedAgent(agent, redactor),
    maxRuns,
  });
  return {
    holdfast,
    newSession: async (options) => {
      const { sessionId } = await holdfast.createSession({ directory: folder, ...options });
      return sessionId;
    },
    bareCall: (exchanges, text) => {
      const bare = createOpenAICompatible({
        name: providerName,
        baseURL: baseUrl,
        apiKey: key,
        includeUsage: true,
      })(modelName);
      const messages: ModelMessage[] = [
        { role: "system", content: system },
        ...Array.from({ length: exchanges }, exchange).flat(),
        { role: "user", content: text },
      ];
      const given: ToolSet = Object.fromEntries(
        toolDefinitions(tools, language.limits).map(bareTool),
      );
      return async () => {
        const { stream } = streamText({
          model: bare,
          messages,
          allowSystemInMessages: true,
          tools: given,
          maxRetries: 0,
          maxOutputTokens: language.limits.output,
        });
        let ended = false;
        for await (const part of stream) ended ||= part.type === "finish-step";
        if (!ended) throw new Error("the bare model call did not finish");
      };
    },
    close: async () => {
      await holdfast.close();
      model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function bareTool({ name, description, schema }: ToolDefinition): [string, ToolSet[string]] {
  return [name, tool({ description, inputSchema: jsonSchema(schema) })];
}

/** Creates a prompt and its answer. Each call returns new message objects. */
function exchange(): ModelMessage[] {
  return [
    { role: "user", content: "go on" },
    { role: "assistant", content: [{ type: "text", text: "Done, as you said." }] },
  ];
}
