import type { Agent, AgentContext, Fact, Workspace } from "./agent.ts";
import type { CodingAgentOptions } from "./coding/coding-agent.ts";
import { createDemoAgent } from "./demo/demo-agent.ts";
import type { DemoOptions } from "./demo/demo-agent.ts";
import { namedProfile } from "./named-profile.ts";
import type { AgentSetup } from "./setup.ts";

export interface BuiltInOptions {
  /** Loads the options of the coding agent. Called once, when the first run needs a model. */
  readonly coding: () => Promise<Omit<CodingAgentOptions, "setup">>;
  readonly demo: DemoOptions;
}

/**
 * Creates the built-in agent. It uses the coding agent if a provider is connected or a model is configured, otherwise
 * the demo agent. Each run checks its own config version, so a newly connected provider takes effect with the next run.
 */
export function createBuiltInAgent(options: BuiltInOptions): Agent {
  const demoAgent = createDemoAgent(options.demo);
  let coding: Promise<Agent> | null = null;
  const codingAgent = (): Promise<Agent> => {
    coding ??= openCoding(options).catch((error: unknown) => {
      coding = null;
      throw error;
    });
    return coding;
  };
  return {
    name: "built-in",
    opensWithStep: true,
    run: async function* run(context: AgentContext): AsyncGenerator<Fact> {
      const [prompt] = context.prompts;
      const setup = setupOf(context.workspace);
      const hosted = await hostedRun(setup, { context, coding: options.coding });
      if (hosted !== null) return yield* hosted;
      const isWanted = prompt?.agent === demoName && !setup.profiles.has(demoName);
      const isDemo = isWanted || (needsNoModel(context.workspace) && prompt?.model === undefined);
      if (isDemo && !isWanted) namedProfile(setup, prompt?.agent);
      yield* (isDemo ? demoAgent : await codingAgent()).run(context);
    },
    title: async (prompt, context) => {
      const agent = needsNoModel(context.workspace) ? demoAgent : await codingAgent();
      return (await agent.title?.(prompt, context)) ?? null;
    },
  };
}

/**
 * Starts the run of a hosted agent if the prompt selects one; null: Holdfast's own agent answers. The adapter is loaded
 * only if the directory has a hosted agent.
 */
async function hostedRun(
  setup: AgentSetup,
  { context, coding }: { context: AgentContext; coding: BuiltInOptions["coding"] },
): Promise<AsyncGenerator<Fact> | null> {
  const profiles = [...setup.profiles.values()];
  if (!profiles.some(({ hosted }) => hosted === true)) return null;
  const { choosingPrompt } = await import("./coding/profile.ts");
  const prompt = await choosingPrompt(context);
  const name = prompt?.agent ?? setup.defaultProfile;
  if (setup.profiles.get(name)?.hosted !== true) return null;
  const { startHosted } = await import("./hosted/start-hosted.ts");
  const { remembered } = await coding();
  return startHosted({ setup, name, context, remembered });
}

/** Name with which a prompt selects the demo agent, unless the directory has an agent of that name. */
const demoName = "demo";

/** Loads the coding agent only when a model is called, because loading it would take most of the start-up time. */
async function openCoding(options: BuiltInOptions): Promise<Agent> {
  const [{ createCodingAgent }, given] = await Promise.all([
    import("./coding/coding-agent.ts"),
    options.coding(),
  ]);
  return createCodingAgent({ ...given, setup: setupOf });
}

function needsNoModel(workspace: Workspace): boolean {
  const { chosen, providers } = setupOf(workspace).models;
  return chosen === null && providers.length === 0;
}

function setupOf({ setup, directory }: Workspace): AgentSetup {
  if (setup === null)
    throw new Error(
      `The config of ${directory} was loaded without the settings of its agents; please report this bug.`,
    );
  return setup;
}
