import { join } from "node:path";
import { AgentFailure } from "../agent/agent.ts";
import type { Agent } from "../agent/agent.ts";
import { demoAgent } from "../agent/demo/demo-agent.ts";
import {
  defaultModel,
  modelVariables,
  providersOf,
  secretsOf,
} from "../agent/model/known-providers.ts";
import type { Provider } from "../agent/model/known-providers.ts";
import { defaultRules } from "../agent/permissions/rules.ts";
import { createRedactor } from "../agent/redact.ts";
import { redactedAgent } from "../agent/redacted-agent.ts";
import { defaultToolSettings } from "../agent/tools/tool.ts";
import { dataFolder } from "./stores.ts";

export interface ConnectedModels {
  readonly providers: readonly Provider[];
  /** What a run uses when nobody names another; null where none is known. */
  readonly chosen: string | null;
}

/** What the environment connects. */
export function connectedModels(environment: NodeJS.ProcessEnv): ConnectedModels {
  const named = environment["HOLDFAST_MODEL"]?.trim() ?? "";
  const providers = providersOf(environment);
  return { providers, chosen: named === "" ? defaultModel(providers) : named };
}

export interface ChosenAgent {
  readonly agent: Agent;
  readonly model: string | null;
  readonly redact: (text: string) => string;
}

/** The coding agent when a model is connected or named; else the demo agent, which needs none. */
export async function chooseAgent(options: {
  model: string | null;
  environment: NodeJS.ProcessEnv;
  home: string;
}): Promise<ChosenAgent> {
  const { environment, home } = options;
  const { providers, chosen } = connectedModels(environment);
  const wanted = options.model ?? chosen;
  const redactor = createRedactor(secretsOf(environment));
  const redact = (text: string): string => redactor.redact(text);
  if (providers.length === 0 && wanted === null) {
    return { agent: redactedAgent(demoAgent, redactor), model: null, redact };
  }
  if (wanted === null) {
    const [first] = providers;
    const advice = `name one with --model ${first?.name}/... or HOLDFAST_MODEL`;
    throw new AgentFailure(
      "modelGone",
      `${first?.name} is connected, and no model is named; ${advice}`,
    );
  }
  // Loaded only when a model is called: most of the start would be spent on it.
  const [{ openModel }, { createCodingAgent }, { codingTools }, { createRememberedRules }] =
    await Promise.all([
      import("../agent/model/providers.ts"),
      import("../agent/coding/coding-agent.ts"),
      import("../agent/tools/all.ts"),
      import("../agent/permissions/remembered.ts"),
    ]);
  const model = openModel(providers, wanted);
  const agent = createCodingAgent({
    model: () => model,
    tools: codingTools(),
    toolSettings: defaultToolSettings,
    rules: defaultRules(),
    // What a person allows for a project is the person's, whichever store the session is in.
    remembered: createRememberedRules(join(dataFolder(environment, home), "permissions"), {
      redact,
    }),
    stallAfter: 120_000,
    endAfter: 30 * 60_000,
    maxTries: 5,
    random: Math.random,
  });
  return { agent: redactedAgent(agent, redactor), model: model.id, redact };
}

const keys = modelVariables
  .map(({ variable }) => variable)
  .filter((name) => name.endsWith("_API_KEY"));

/** How to get from the demo agent to the coding agent, in one line. */
export const connectAdvice =
  `To connect a model, set ${keys.join(", ")}, OLLAMA_BASE_URL, or HOLDFAST_BASE_URL for any ` +
  "server that speaks OpenAI's protocol; `holdfast models` says more";
