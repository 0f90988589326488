import { join } from "node:path";
import type { Agent } from "../agent/agent.ts";
import { createBuiltInAgent } from "../agent/built-in.ts";
import { findModel } from "../agent/model/find-model.ts";
import { createLearningRedactor } from "../agent/redact.ts";
import { redactedAgent } from "../agent/redacted-agent.ts";
import type { ReadConfig } from "../workspace/config/read-config.ts";
import { connectedOf, createLoader } from "../workspace/load/loader.ts";
import type { Choice, Loader } from "../workspace/load/loader.ts";
import { createCredentials } from "../workspace/providers/credentials.ts";
import type { Credentials } from "../workspace/providers/credentials.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { loadedWorkspaces } from "./loaded-workspaces.ts";
import { dataFolder } from "./stores.ts";

export interface SetupOptions {
  /** As `provider/model`; what the environment or a config chooses if it is null. */
  readonly model: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** The person's usual one if left out. */
  readonly dataFolder?: string;
}

/** What runs work with in this process: the agent, and the directories' setups that it takes. */
export interface Setup {
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  readonly credentials: Credentials;
  readonly redact: (text: string) => string;
  /** What is connected for a directory; null for no directory in particular. */
  choice(directory: string | null): Promise<Choice>;
}

export async function openSetup(options: SetupOptions): Promise<Setup> {
  const { environment, home } = options;
  const own = options.dataFolder ?? dataFolder(environment, home);
  const redactor = createLearningRedactor();
  const redact = (text: string): string => redactor.redact(text);
  const credentials = createCredentials(join(own, "credentials.json"));
  const loader: Loader = createLoader({
    environment,
    model: options.model,
    credentials,
    readConfig: async () => noConfig,
    learn: (secrets) => redactor.learn(secrets),
  });
  // What is configured for everybody is hidden from the first word on.
  await loader.choice(null);
  const agent = createBuiltInAgent({
    coding: async () => {
      const { createRememberedRules } = await import("../agent/permissions/remembered.ts");
      // What a person allows for a project is the person's, whichever store the session is in.
      const folder = join(dataFolder(environment, home), "permissions");
      return {
        remembered: createRememberedRules(folder, { redact }),
        stallAfter: 120_000,
        endAfter: 30 * 60_000,
        maxTries: 5,
        random: Math.random,
      };
    },
  });
  return {
    agent: redactedAgent(agent, redactor),
    workspaces: loadedWorkspaces(loader),
    credentials,
    redact,
    choice: (directory) => loader.choice(directory),
  };
}

const noConfig: ReadConfig = {
  config: {
    model: null,
    smallModel: null,
    agent: null,
    agents: new Map(),
    commands: new Map(),
    permissions: [],
    mcp: new Map(),
    providers: new Map(),
    limits: {
      maxSteps: null,
      stopGrace: null,
      budget: null,
      shellTimeout: null,
      fetchTimeout: null,
    },
    recovery: null,
    sandbox: { shell: null, network: null, allowedPaths: [], privateAddresses: null },
    hooks: { promptAccepted: [], beforeTool: [], afterTool: [], settled: [] },
    instructions: [],
  },
  digest: "",
  notices: [],
  secrets: [],
  powers: { digest: null, trusted: false, list: [] },
  files: [],
};

/** The model that runs use; null for the demo agent. Throws an AgentFailure when there is none to use. */
export function modelOf({ providers, chosen }: Choice): string | null {
  const connected = connectedOf(providers);
  return connected.length === 0 && chosen === null ? null : findModel(connected, chosen).id;
}
