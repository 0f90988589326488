/** An agent that Holdfast knows how to install and start. */
export interface KnownAgent {
  readonly name: string;
  readonly title: string;
  /** The npm package to install, with its exact version. Null: Holdfast can use only a program on the PATH. */
  readonly package: KnownPackage | null;
  /** Name of the program, in the package and on the PATH. */
  readonly program: string;
  readonly args: readonly string[];
  /**
   * Names of environment variables that the agent inherits from Holdfast: those for the agent's API keys and settings.
   */
  readonly variables: readonly string[];
  /** Folders and files in the home directory that contain the agent's sign-in data, settings and sessions. */
  readonly home: readonly string[];
  /** Instructions to get the agent if `holdfast agents add` cannot install it. */
  readonly advice: string;
}

export interface KnownPackage {
  readonly name: string;
  /** After a change, run `npm run generate:agents`, which pins the package and all its dependencies. */
  readonly version: string;
  /** Path of the program below `node_modules`. `{platform}` and `{arch}` are replaced. */
  readonly program: string;
  /** True for a native program. Other programs are started with Holdfast's own Node. */
  readonly native?: true;
}

export const knownAgents: readonly KnownAgent[] = [
  {
    name: "claude",
    title: "Claude Code",
    package: {
      name: "@agentclientprotocol/claude-agent-acp",
      version: "0.99.1",
      program: "@agentclientprotocol/claude-agent-acp/dist/index.js",
    },
    program: "claude-agent-acp",
    args: [],
    variables: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_BASE_URL",
      "ANTHROPIC_MODEL",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CONFIG_DIR",
      "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
      "ENABLE_TOOL_SEARCH",
    ],
    home: [".claude", ".claude.json"],
    advice: "holdfast agents add claude",
  },
  {
    name: "codex",
    title: "Codex",
    package: {
      name: "@agentclientprotocol/codex-acp",
      version: "2.6.0",
      program: "@agentclientprotocol/codex-acp/dist/index.js",
    },
    program: "codex-acp",
    args: [],
    variables: [
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      "CODEX_API_KEY",
      "CODEX_HOME",
      "CODEX_CONFIG",
      "MODEL_PROVIDER",
      "INITIAL_AGENT_MODE",
      "NO_BROWSER",
    ],
    home: [".codex"],
    advice: "holdfast agents add codex",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    package: {
      name: "@google/gemini-cli",
      version: "0.61.0",
      program: "@google/gemini-cli/bundle/gemini.js",
    },
    program: "gemini",
    args: ["--acp"],
    variables: [
      "GEMINI_API_KEY",
      "GEMINI_MODEL",
      "GOOGLE_API_KEY",
      "GOOGLE_GEMINI_BASE_URL",
      "GOOGLE_CLOUD_PROJECT",
      "GEMINI_CLI_TRUST_WORKSPACE",
    ],
    home: [".gemini"],
    advice: "holdfast agents add gemini",
  },
  {
    name: "opencode",
    title: "opencode",
    package: {
      name: "opencode-ai",
      version: "1.18.33",
      program: "opencode-{platform}-{arch}/bin/opencode",
      native: true,
    },
    program: "opencode",
    args: ["acp"],
    variables: ["OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_MODELS_FETCH"],
    home: [".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
    advice: "holdfast agents add opencode",
  },
  {
    name: "qwen",
    title: "Qwen Code",
    package: {
      name: "@qwen-code/qwen-code",
      version: "0.24.4",
      program: "@qwen-code/qwen-code/cli-entry.js",
    },
    program: "qwen",
    args: ["--acp"],
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"],
    home: [".qwen"],
    advice: "holdfast agents add qwen",
  },
  {
    name: "goose",
    title: "goose",
    package: null,
    program: "goose",
    args: ["acp"],
    variables: ["GOOSE_PROVIDER", "GOOSE_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"],
    home: [".config/goose", ".local/share/goose", ".local/state/goose"],
    advice: "install goose and put it on the PATH (https://block.github.io/goose)",
  },
];

export function knownAgent(name: string): KnownAgent | null {
  return knownAgents.find((agent) => agent.name === name) ?? null;
}

export function isKnownAgent(name: string): boolean {
  return knownAgent(name) !== null;
}
