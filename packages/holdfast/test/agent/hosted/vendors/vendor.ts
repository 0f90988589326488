import { join } from "node:path";
import { findAgent } from "../../../../src/agent/hosted/find-agent.ts";
import { agentPackages } from "../../../../src/agent/hosted/agent-packages.ts";
import { installAgent } from "../../../../src/agent/hosted/install-agent.ts";
import { knownAgent } from "../../../../src/agent/hosted/known-agents.ts";

/** A hosted agent that these tests run: the stub agent, or a real agent from npm with a scripted model. */
export interface Vendor {
  readonly name: string;
  /** True if the agent has the extension for steering. */
  readonly steers?: true;
  /** True if the agent damages a session that it loads in the minute in which the session began. */
  readonly loadsLate?: true;
  /** Returns the command of the agent. Installs the agent first if it is missing. */
  command(install: Installing): Promise<readonly string[]>;
  /** Returns the variables with which the agent uses the scripted model and only its own folder. */
  environment(world: VendorPlace): Record<string, string>;
}

export interface Installing {
  /** Folder with the installed agents. Later runs use the same folder. */
  readonly folder: string;
  readonly progress: (message: string) => void;
}

export interface VendorPlace {
  /** Home folder of the agent. */
  readonly home: string;
  /** The directory of the session. */
  readonly directory: string;
  /** Address of the scripted model, without a path. */
  readonly model: string;
}

const program = join(import.meta.dirname, "../../../support/stub-agent.ts");

export const stub: Vendor = {
  name: "stub",
  command: async () => [process.execPath, program],
  environment: ({ directory, home }) => ({ STUB_HOME: directory, STUB_SESSIONS: home }),
};

const modelName = "scripted";

export const vendors: readonly Vendor[] = [
  installed("opencode", ({ model }) => {
    const local = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${model}/v1`, apiKey: "any" },
      models: { [modelName]: {} },
    };
    const config = {
      model: `local/${modelName}`,
      permission: { bash: "ask" },
      provider: { local },
    };
    return {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    };
  }),
  steering(
    installed("claude", ({ model }) => ({
      ANTHROPIC_API_KEY: "any",
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_MODEL: modelName,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ENABLE_TOOL_SEARCH: "false",
    })),
  ),
  steering(
    installed("codex", ({ model, home }) => {
      const local = {
        name: "Local",
        base_url: `${model}/v1`,
        wire_api: "responses",
        env_key: "OPENAI_API_KEY",
      };
      const config = {
        model: modelName,
        model_provider: "local",
        model_providers: { local },
      };
      return {
        CODEX_HOME: home,
        CODEX_CONFIG: JSON.stringify(config),
        MODEL_PROVIDER: "local",
        // In the default mode of Codex, a model instead of a person decides about permissions.
        INITIAL_AGENT_MODE: "read-only",
        NO_BROWSER: "1",
        OPENAI_API_KEY: "any",
      };
    }),
  ),
  loadingLate(
    installed("gemini", ({ model }) => ({
      GEMINI_API_KEY: "any",
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_MODEL: modelName,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    })),
  ),
  installed(
    "qwen",
    ({ model }) => ({
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_API_KEY: "any",
      OPENAI_MODEL: modelName,
    }),
    ["--auth-type", "openai"],
  ),
];

/** An agent that `holdfast agents add` installs. */
function installed(
  name: string,
  environment: Vendor["environment"],
  args: readonly string[] = [],
): Vendor {
  return {
    name,
    environment,
    command: async ({ folder, progress }) => {
      const agent = knownAgent(name);
      if (agent === null) throw new Error(`Holdfast does not know the agent ${name}.`);
      const find = () => findAgent(agent, { folder, path: "" });
      let found = await find();
      if (found?.version !== agent.package?.version) {
        const packages = agentPackages(agent.name);
        await installAgent(agent, { folder, packages, environment: process.env, progress });
        found = await find();
      }
      if (found === null) throw new Error(`${name} is not complete after its installation.`);
      return [...found.command, ...args];
    },
  };
}

function steering(vendor: Vendor): Vendor {
  return { ...vendor, steers: true };
}

function loadingLate(vendor: Vendor): Vendor {
  return { ...vendor, loadsLate: true };
}
