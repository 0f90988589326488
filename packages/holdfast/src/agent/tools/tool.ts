import type { z } from "zod";
import type { AgentContext, ShownFile } from "../agent.ts";
import type { ReasoningWish } from "../model/reasoning.ts";

/** An action that the model can request. A tool keeps no state between calls. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** Text for the model: what the tool does, when to use it, and when not. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** An example input, which becomes part of the description. */
  readonly example?: Input;
  /** JSON schema of the input for the model, if it differs from `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** True if it is safe to run the call again after a crash (R2). */
  readonly repeatable: boolean;
  /** True if the call may run in parallel with other calls of the same answer. */
  readonly parallel: boolean;
  /** Builds the permission request of a call. Null if no permission is needed. */
  permission(
    input: Input,
    context: ToolContext,
  ): PermissionRequest | null | Promise<PermissionRequest | null>;
  /** Returns the reason why the call would certainly fail, or null. People are not asked about such a call. */
  problem?(input: Input, context: ToolContext): Promise<string | null>;
  /** Returns the content of the files before the call changes them, so that the change can be undone. */
  touches?(input: Input, context: ToolContext): Promise<readonly TouchedFile[]>;
  /**
   * Runs the call. A failure is returned as a result for the model; only bugs throw. Must return soon after the signal
   * aborts.
   */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface PermissionRequest {
  /**
   * The kind of action in rules: `read`, `change`, `run`, `network` (a command with network access), `fetch`,
   * `send`, `mcp`.
   */
  readonly action: PermissionAction;
  /**
   * The text that rule patterns match: a path relative to the directory (absolute if outside), a command, a URL, or the
   * tool of an MCP server as `server/tool`.
   */
  readonly subject: string;
  /**
   * The folder in which a command runs, relative to the directory (absolute if outside). Missing: the directory
   * itself.
   */
  readonly path?: string;
  /** For each command of a command line, the files that the command may read. Missing: unknown. */
  readonly reads?: CommandReads;
  /** True if an MCP server declares that the call changes nothing. */
  readonly readOnly?: boolean;
  /** Exact description for people, such as the full command. A long diff is cut after its first lines. */
  readonly preview: string;
  /** Size of a file change. `omitted`: number of diff lines that `preview` leaves out. */
  readonly change?: {
    readonly added: number;
    readonly removed: number;
    readonly omitted: number;
  };
  /** Number of characters that `preview` leaves out, if it is a long text other than a diff. */
  readonly omittedCharacters?: number;
  /**
   * The full diff, if `preview` leaves lines out. It is stored with the request and sent only to clients that request
   * it.
   */
  readonly whole?: string;
  /** A warning that people see before they allow the call. */
  readonly warning?: string;
}

/**
 * For each command of a command line, in order: the real paths that the command may read, relative to the directory or
 * absolute. Null for a command that may change something or read other files.
 */
export type CommandReads = readonly (readonly string[] | null)[];

export type PermissionAction = "read" | "change" | "run" | "network" | "fetch" | "send" | "mcp";

export interface TouchedFile {
  /** Absolute real path of the file. */
  readonly path: string;
  /** Content before the call. Null if the file does not exist yet. */
  readonly before: Uint8Array | null;
}

export interface ToolContext {
  /** Real path of the session's directory. */
  readonly directory: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Returns false if the run may no longer act (L5). Check this right before each change. */
  mayAct(): boolean;
  readonly settings: ToolSettings;
  /** Shows output to people while the tool runs. It may be dropped. */
  progress(text: string): void;
  /** Returns the content hash of a file as this session last read or wrote it; null if it did neither. */
  seen(path: string): string | null;
  /** True if the rules allow reading this path without asking. For tools that search many files. */
  mayRead(subject: string): boolean;
  /** The model that the run's prompt selects. Missing: none. */
  readonly model?: string;
  /** The reasoning settings that the run's prompt selects. */
  readonly wish?: ReasoningWish;
  /**
   * Calls the run's model once for a tool. Throws if the rules or a person deny the call. Missing: tools cannot call
   * the model.
   */
  readonly sample?: (request: SampleRequest) => Promise<Sample>;
  /** Functions to ask people, and to send prompts to other sessions. */
  readonly agent: Pick<AgentContext, "ask" | "child" | "background" | "depth">;
}

export interface SampleRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** Token limit of the answer. */
  readonly maxOutput: number;
  readonly permission: PermissionRequest;
}

export interface Sample {
  readonly text: string;
  readonly model: string;
  /** True if the answer was cut at the token limit. */
  readonly isCut: boolean;
}

export interface ToolSettings {
  /** Real paths outside of the session's directory that file tools may access. */
  readonly allowedPaths: readonly string[];
  /** Folders anywhere on the machine that commands in a sandbox cannot see (`hidden`) or cannot change. */
  readonly guarded: {
    readonly hidden: readonly string[];
    readonly readOnly: readonly string[];
  };
  readonly shell: {
    readonly timeout: number;
    readonly maxOutput: number;
    /** `auto`: use a sandbox if one works on this machine. `off`: never. `required`: fail without one. */
    readonly sandbox: "auto" | "off" | "required";
    /** True if every command in the sandbox has network access. Otherwise each command must request it. */
    readonly network: boolean;
    /** Names of additional environment variables for commands. */
    readonly variables: readonly string[];
  };
  readonly fetch: {
    readonly timeout: number;
    readonly maxBytes: number;
    /** True if pages on this machine and in private networks may be fetched. */
    readonly allowPrivate: boolean;
  };
  /** Time limit of a file search, in milliseconds. */
  readonly searchTimeout: number;
  readonly maxFileBytes: number;
  readonly maxOutput: number;
}

export const defaultToolSettings: ToolSettings = {
  allowedPaths: [],
  guarded: { hidden: [], readOnly: [] },
  shell: { timeout: 600_000, maxOutput: 30_000, sandbox: "auto", network: false, variables: [] },
  fetch: { timeout: 30_000, maxBytes: 5_000_000, allowPrivate: false },
  searchTimeout: 20_000,
  maxFileBytes: 10_000_000,
  maxOutput: 50_000,
};

export interface ToolResult {
  readonly status: "completed" | "failed";
  /** Text for the model. */
  readonly output: string;
  readonly extra?: ToolExtra;
  /** Images for the model, of at most `maxImageBytes` each. */
  readonly files?: readonly ShownFile[];
}

/** Maximum size of an image to read, in bytes. For a provider with a lower limit, the image is scaled down. */
export const maxImageBytes = 10_000_000;

/** Data that is stored with a result, as JSON. */
export interface ToolExtra {
  /** Files whose content the session has seen with this call. */
  readonly seen?: readonly { readonly path: string; readonly hash: string }[];
  /** A unified diff of the change, for people. */
  readonly diff?: string;
  /** Numbers of added and removed lines. Streams may truncate a long diff, but not these counts. */
  readonly change?: { readonly added: number; readonly removed: number };
  /** True if the output was truncated. */
  readonly truncated?: boolean;
  readonly exitCode?: number | null;
  /** The whole todo list after this call. */
  readonly todo?: readonly TodoItem[];
  readonly [key: string]: unknown;
}

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "active" | "done";
}
