import type { McpServerConfig } from "../../agent/mcp/config.ts";
import type { CatalogueFile } from "../../agent/model/catalogue/catalogue.ts";
import type { Protocol } from "../../agent/model/known-providers.ts";
import type { ReasoningWish } from "../../agent/model/reasoning.ts";
import type { PermissionRule } from "../../agent/permissions/rule.ts";
import type { Budget, OnBudget } from "../../kernel/state.ts";

/** The config of a directory: the user's and the project's config, merged and with references resolved. */
export interface Config {
  /** Model as `provider/model`. Null: not configured. */
  readonly model: string | null;
  /** Reasoning settings that apply if the prompt, the agent and the model set none. */
  readonly wish: ReasoningWish;
  /** Model that writes session titles. Null: the same model as for runs. */
  readonly smallModel: string | null;
  /** The user's own model catalogue. Null: the built-in catalogue. */
  readonly catalogue: CatalogueFile | null;
  /**
   * Agent for prompts that select none. Null: the agent `default`, which exists even if `agents` has no entry for it.
   */
  readonly agent: string | null;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  readonly commands: ReadonlyMap<string, CommandConfig>;
  /** The user's permission rules, then the project's. */
  readonly permissions: readonly PermissionRule[];
  /** The enabled MCP servers. */
  readonly mcp: ReadonlyMap<string, McpServerConfig>;
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  readonly limits: LimitsConfig;
  readonly recovery: Recovery | null;
  readonly retention: RetentionConfig;
  readonly quotas: QuotasConfig;
  readonly sandbox: SandboxConfig;
  readonly hooks: HooksConfig;
  /** Instruction files for the model in addition to AGENTS.md, in this order. */
  readonly instructions: readonly InstructionFile[];
}

export interface AgentConfig {
  readonly description: string;
  /** Text to append to the system prompt. Null: none. */
  readonly prompt: string | null;
  readonly model: string | null;
  readonly wish: ReasoningWish;
  /** Name patterns of the tools that the agent may use. Null: all tools. */
  readonly tools: readonly string[] | null;
  readonly permissions: readonly PermissionRule[];
  /** Set if the agent is hosted: an external program that speaks ACP. */
  readonly acp?: AcpConfig;
}

/**
 * A program that speaks ACP (Agent Client Protocol). References such as `{env:NAME}` are already replaced by their
 * values, which may be secrets.
 */
export interface AcpConfig {
  /** Null: the installed program of the agent with this name. */
  readonly command: readonly [string, ...string[]] | null;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: "auto" | "off" | "required";
  /** Paths in the home directory that the agent may use in the sandbox. Null: known paths of this agent. */
  readonly folders: readonly string[] | null;
}

/** A slash command: a saved prompt. */
export interface CommandConfig {
  /** Absolute path of the command's file. */
  readonly file: string;
  readonly description: string;
  /** Text with the placeholders `$ARGUMENTS` and `$1` to `$9`. */
  readonly text: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly wish: ReasoningWish;
}

export interface ProviderConfig {
  readonly protocol: Protocol;
  /** Null: the protocol's default address, if it has one. */
  readonly baseUrl: string | null;
  /**
   * The API key with references resolved, a secret. Null: take the key from the environment or the credentials file.
   */
  readonly key: string | null;
  /** Headers with references resolved. They may contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Model name without the provider prefix. */
  readonly defaultModel: string | null;
  readonly models: ReadonlyMap<string, ModelConfig>;
}

/** Properties of a model that override the catalogue. Null: use the catalogue. */
export interface ModelConfig {
  readonly context: number | null;
  readonly output: number | null;
  readonly images: boolean | null;
  readonly wish: ReasoningWish;
  /** Dollars per million tokens. */
  readonly price: {
    readonly input: number;
    readonly cachedInput: number | null;
    readonly cacheWrite: number | null;
    readonly output: number;
  } | null;
}

/** Limits for runs, tools and spending. Null: the default. Durations are in milliseconds. */
export interface LimitsConfig {
  readonly maxSteps: number | null;
  readonly stopGrace: number | null;
  readonly budget: Budget | null;
  readonly onBudget: OnBudget | null;
  readonly budgetAskTime: number | null;
  /** Spending limits of all sessions together. Only the user's own config can set them. */
  readonly daily: Budget | null;
  readonly monthly: Budget | null;
  readonly token: Budget | null;
  readonly shellTimeout: number | null;
  readonly fetchTimeout: number | null;
}

/** Retention times in milliseconds. Null: never archive or delete sessions; for uploads, the default time. */
export interface RetentionConfig {
  readonly archiveAfter: number | null;
  readonly deleteArchivedAfter: number | null;
  readonly deleteUploadsAfter: number | null;
}

/** Quotas per day (UTC) for each token without the admin role. Null: the default. */
export interface QuotasConfig {
  readonly uploadBytes: number | null;
  readonly sessions: number | null;
  readonly logBytes: number | null;
}

export type Recovery = "resume" | "hold" | "settle";

/** Sandbox settings. Null: the default. */
export interface SandboxConfig {
  readonly shell: "auto" | "off" | "required" | null;
  readonly network: boolean | null;
  /** Real paths of folders outside of the directory that file tools and commands may use. */
  readonly allowedPaths: readonly string[];
  /** True if web pages on this machine and in private networks may be fetched. */
  readonly privateAddresses: boolean | null;
  /** Names of additional environment variables that commands and hooks receive. */
  readonly variables: readonly string[];
}

export type HookName = "promptAccepted" | "beforeTool" | "afterTool" | "settled" | "notice";

export type HooksConfig = Readonly<Record<HookName, readonly HookConfig[]>>;

export interface HookConfig {
  /** Shell command. */
  readonly command: string;
  /** Name pattern of the tools that the hook applies to. Null: all tools. */
  readonly match: string | null;
  /** Timeout of the command in milliseconds. */
  readonly timeout: number;
}

export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}
