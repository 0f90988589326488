import type { Agent, AgentContext, Fact } from "../agent.ts";
import type { Message } from "../message.ts";
import { ModelError } from "../model/model.ts";
import type { Model, ModelMessage } from "../model/model.ts";
import type { Tool, ToolExtra, ToolSettings } from "../tools/tool.ts";
import { readInstructions } from "../instructions.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import type { PermissionRule } from "../permissions/rule.ts";
import { runCalls } from "./calls.ts";
import type { CallParts } from "./calls.ts";
import { compactionMessages, isNearlyFull } from "./compaction.ts";
import { createLoopGuard } from "./loop-guard.ts";
import { openPermissions } from "./policy.ts";
import { modelMessages } from "./request.ts";
import { asFailure, takeStep } from "./step.ts";
import type { StepAnswer, StepRequest } from "./step.ts";
import { systemPrompt } from "./system-prompt.ts";
import { toolDefinitions } from "./tool-definitions.ts";

export interface CodingAgentOptions {
  /** The model for a run; throws an AgentFailure when there is none. */
  readonly model: (context: AgentContext) => Model;
  readonly tools: readonly Tool[];
  readonly toolSettings: ToolSettings;
  readonly rules: readonly PermissionRule[];
  readonly remembered: RememberedRules;
  readonly stallAfter: number;
  readonly maxTries: number;
  readonly random: () => number;
}

/** An agent that works on software with a model and tools. */
export function createCodingAgent(options: CodingAgentOptions): Agent {
  return { name: "coding", run: (context) => work(options, context) };
}

async function* work(options: CodingAgentOptions, context: AgentContext): AsyncGenerator<Fact> {
  const model = options.model(context);
  const { tools, rules, remembered, toolSettings: settings } = options;
  const { sessionId, directory } = context;
  const permissions = await openPermissions({ rules, remembered, sessionId, directory });
  const system = systemPrompt({ directory, instructions: await readInstructions(directory) });
  const seen = seenFiles(context.openCalls.length > 0 ? await context.conversation() : []);
  const parts: CallParts = { context, tools, settings, permissions, seen };
  const guard = createLoopGuard();
  try {
    // Cut off between an answer and its results: those come first (T1).
    yield* runCalls(
      parts,
      context.openCalls.map((call) => ({ ...call, problem: null })),
    );
    for (;;) {
      await context.boundary();
      const messages = await context.conversation();
      for (const [path, hash] of seenFiles(messages)) seen.set(path, hash);
      const answer = yield* answerOrCompact({ options, context, model, system }, messages);
      if (answer === null) continue;
      if (answer.calls.length === 0) return;
      guard.check(answer.calls);
      yield* runCalls(parts, answer.calls);
    }
  } catch (error) {
    throw asFailure(error);
  }
}

interface Scene {
  readonly options: CodingAgentOptions;
  readonly context: AgentContext;
  readonly model: Model;
  readonly system: string;
}

/** Null when the step went into making the conversation shorter: the next one answers. */
async function* answerOrCompact(
  scene: Scene,
  conversation: readonly Message[],
): AsyncGenerator<Fact, StepAnswer | null> {
  const { context, model, system, options } = scene;
  const { provider, limits } = model;
  const { runId } = context;
  const messages = modelMessages(conversation, { provider, runId });
  const tools = toolDefinitions(options.tools);
  const step = conversation.length;
  if (isNearlyFull({ system, messages }, limits) && messages.length > 2) {
    yield* compact(scene, messages, step);
    return null;
  }
  try {
    return yield* takeStep(model, request(scene, { kind: "answer", messages, tools, step }));
  } catch (error) {
    const tooLong = error instanceof ModelError && error.kind === "contextTooLong";
    if (!tooLong || messages.length <= 2) throw error;
    yield* compact(scene, messages, step);
    return null;
  }
}

async function* compact(
  scene: Scene,
  messages: readonly ModelMessage[],
  step: number,
): AsyncGenerator<Fact> {
  const shorter = compactionMessages(messages, scene.model.limits);
  const asked = request(scene, { kind: "compaction", messages: shorter, tools: [], step });
  yield* takeStep(scene.model, asked);
}

function request(
  scene: Scene,
  step: Pick<StepRequest, "kind" | "messages" | "tools" | "step">,
): StepRequest {
  const { context, system, options } = scene;
  const { signal, runId } = context;
  const { stallAfter, maxTries, random } = options;
  const repeatable = (name: string): boolean =>
    options.tools.find((tool) => tool.name === name)?.repeatable ?? true;
  return { ...step, system, signal, runId, stallAfter, maxTries, random, repeatable };
}

/** What the session knows of files, from the results that it has had. */
function seenFiles(messages: readonly Message[]): Map<string, string> {
  const seen = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "tool" || !isToolExtra(message.extra)) continue;
    for (const { path, hash } of message.extra.seen ?? []) seen.set(path, hash);
  }
  return seen;
}

/** Tools write it, the log keeps it: an object, or nothing. */
function isToolExtra(extra: unknown): extra is ToolExtra {
  return typeof extra === "object" && extra !== null;
}
