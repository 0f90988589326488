import type { McpServerConfig } from "../../agent/mcp/config.ts";
import type { PermissionRule } from "../../agent/permissions/rule.ts";
import type { Budget, OnBudget } from "../../kernel/state.ts";

/** What a directory is set up with: the user's config and the project's, merged and resolved. */
export interface Config {
  /** As `provider/model`; null where nobody has chosen one. */
  readonly model: string | null;
  /** For titles; null for the same model. */
  readonly smallModel: string | null;
  /** The agent of prompts that name none; null for the usual one, which `agents` may have too. */
  readonly agent: string | null;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  readonly commands: ReadonlyMap<string, CommandConfig>;
  /** The user's, then the project's. */
  readonly permissions: readonly PermissionRule[];
  /** Those that are enabled. */
  readonly mcp: ReadonlyMap<string, McpServerConfig>;
  readonly providers: ReadonlyMap<string, ProviderConfig>;
  readonly limits: LimitsConfig;
  readonly recovery: Recovery | null;
  readonly retention: RetentionConfig;
  readonly quotas: QuotasConfig;
  readonly sandbox: SandboxConfig;
  readonly hooks: HooksConfig;
  /** Told to the model beside the AGENTS.md files, in this order. */
  readonly instructions: readonly InstructionFile[];
}

export interface AgentConfig {
  readonly description: string;
  /** Null for nothing more than the usual. */
  readonly prompt: string | null;
  readonly model: string | null;
  /** Patterns of tool names; null for all. */
  readonly tools: readonly string[] | null;
  readonly permissions: readonly PermissionRule[];
}

/** A prompt that is kept under a name. */
export interface CommandConfig {
  /** Absolute. */
  readonly file: string;
  readonly description: string;
  /** With `$ARGUMENTS` and `$1` to `$9`. */
  readonly text: string;
  readonly agent: string | null;
  readonly model: string | null;
}

export interface ProviderConfig {
  readonly protocol: ProviderProtocolName;
  /** Null for the protocol's own: only where the protocol has one. */
  readonly baseUrl: string | null;
  /** Resolved, a secret; null where the environment or the credentials file may have one. */
  readonly key: string | null;
  /** Resolved: may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without the provider's name. */
  readonly defaultModel: string | null;
  readonly models: ReadonlyMap<string, ModelConfig>;
}

export type ProviderProtocolName = "anthropic" | "openai" | "google" | "compatible";

/** What is known better than the program knows it; null where it is not. */
export interface ModelConfig {
  readonly context: number | null;
  readonly output: number | null;
  readonly images: boolean | null;
  /** Dollars per million tokens. */
  readonly price: {
    readonly input: number;
    readonly cachedInput: number | null;
    readonly cacheWrite: number | null;
    readonly output: number;
  } | null;
}

/** Null for the usual. Durations are milliseconds. */
export interface LimitsConfig {
  readonly maxSteps: number | null;
  readonly stopGrace: number | null;
  readonly budget: Budget | null;
  readonly onBudget: OnBudget | null;
  readonly budgetAskTime: number | null;
  /** Of all sessions together: the user's own config alone says these. */
  readonly daily: Budget | null;
  readonly monthly: Budget | null;
  readonly token: Budget | null;
  readonly shellTimeout: number | null;
  readonly fetchTimeout: number | null;
}

/** Milliseconds; null for never, and for the usual with uploads. */
export interface RetentionConfig {
  readonly archiveAfter: number | null;
  readonly deleteArchivedAfter: number | null;
  readonly deleteUploadsAfter: number | null;
}

/** Per token without the role admin and per day (UTC); null for the default. */
export interface QuotasConfig {
  readonly uploadBytes: number | null;
  readonly sessions: number | null;
  readonly logBytes: number | null;
}

export type Recovery = "resume" | "hold" | "settle";

/** Null for the usual. */
export interface SandboxConfig {
  readonly shell: "auto" | "off" | "required" | null;
  readonly network: boolean | null;
  /** Folders outside of the directory that file tools and commands may use, by their real paths. */
  readonly allowedPaths: readonly string[];
  /** Whether pages of this machine and of private networks may be fetched. */
  readonly privateAddresses: boolean | null;
  /** Environment variables that commands and hooks get besides the usual ones. */
  readonly variables: readonly string[];
}

export type HookName = "promptAccepted" | "beforeTool" | "afterTool" | "settled";

export type HooksConfig = Readonly<Record<HookName, readonly HookConfig[]>>;

export interface HookConfig {
  /** For the shell. */
  readonly command: string;
  /** A pattern of tool names; null for all. */
  readonly match: string | null;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}
