import type { Agent, AgentContext, Fact, Workspace } from "./agent.ts";
import { choosingPrompt, chosenAgent } from "./choosing-prompt.ts";
import type { CodingAgentOptions } from "./coding/coding-agent.ts";
import { createDemoAgent } from "./demo/demo-agent.ts";
import type { DemoOptions } from "./demo/demo-agent.ts";
import { isDemoAgent, namedProfile } from "./named-profile.ts";
import { hasOnlyDemo } from "./setup.ts";
import type { AgentSetup } from "./setup.ts";

export interface BuiltInOptions {
  /** Loads the options of the coding agent. Called once, when the first run needs a model. */
  readonly coding: () => Promise<Omit<CodingAgentOptions, "setup">>;
  readonly demo: DemoOptions;
}

/**
 * Creates the built-in agent. It uses the coding agent if a provider is connected or a model is configured, otherwise
 * the demo agent. If the user has disconnected the only provider, prompts fail and the queue waits: the demo agent must
 * not answer prompts that were sent to a model. Each run checks its own config version, so a newly connected provider takes effect with the next run.
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
      const prompt = await choosingPrompt(context);
      const name = chosenAgent(context, prompt);
      const setup = setupOf(context.workspace);
      const hosted = await hostedRun(setup, { name, context, coding: options.coding });
      if (hosted !== null) return yield* hosted;
      const isWanted = isDemoAgent(setup, name);
      const isDemo = isWanted || (needsNoModel(context.workspace) && prompt?.model === undefined);
      if (isDemo && !isWanted) namedProfile(setup, name);
      yield* (isDemo ? demoAgent : await codingAgent()).run(context);
    },
    title: async (prompt, context) => {
      const agent = needsNoModel(context.workspace) ? demoAgent : await codingAgent();
      return (await agent.title?.(prompt, context)) ?? null;
    },
  };
}

/** Starts the run of a hosted agent if one is selected, and loads the adapter; null: Holdfast's own agent answers. */
async function hostedRun(
  setup: AgentSetup,
  run: { name: string | undefined; context: AgentContext; coding: BuiltInOptions["coding"] },
): Promise<AsyncGenerator<Fact> | null> {
  const { name = setup.defaultProfile, context, coding } = run;
  if (setup.profiles.get(name)?.hosted !== true) return null;
  const { startHosted } = await import("./hosted/start-hosted.ts");
  const { remembered } = await coding();
  return startHosted({ setup, name, context, remembered });
}

/** Loads the coding agent only when a model is called, because loading it would take most of the start-up time. */
async function openCoding(options: BuiltInOptions): Promise<Agent> {
  const [{ createCodingAgent }, given] = await Promise.all([
    import("./coding/coding-agent.ts"),
    options.coding(),
  ]);
  return createCodingAgent({ ...given, setup: setupOf });
}

function needsNoModel(workspace: Workspace): boolean {
  return hasOnlyDemo(setupOf(workspace).models);
}

function setupOf({ setup, directory }: Workspace): AgentSetup {
  if (setup === null)
    throw new Error(
      `The config of ${directory} was loaded without the settings of its agents; please report this bug.`,
    );
  return setup;
}
