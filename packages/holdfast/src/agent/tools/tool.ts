import type { z } from "zod";
import type { AgentContext, ShownFile } from "../agent.ts";

/** Something that the model can have done. It keeps nothing between calls. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model: what it does, when to use it, what it must not be used for. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** What the model is told of the input where it is not what `input` says: JSON schema. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Running it a second time after a crash is safe (R2). */
  readonly repeatable: boolean;
  /** May run beside other calls of the same answer. */
  readonly parallel: boolean;
  /** What people are asked before it runs; null when it needs no permission at all. */
  permission(
    input: Input,
    context: ToolContext,
  ): PermissionRequest | null | Promise<PermissionRequest | null>;
  /** The files that it is about to change, as they are now, so that a run can be undone. */
  touches?(input: Input, context: ToolContext): Promise<readonly TouchedFile[]>;
  /** Does it. A failure is a result for the model; only a bug throws. Must heed the signal. */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface PermissionRequest {
  /** What rules are written about: `read`, `change`, `run`, `network` (a command with the network), `fetch`, `send`, `mcp`. */
  readonly action: PermissionAction;
  /**
   * What patterns are matched against: a path relative to the directory (absolute when it is
   * outside), a command, an address, the tool of an MCP server as `server/tool`.
   */
  readonly subject: string;
  /**
   * The folder in which a command runs, relative to the directory (absolute when it is outside). Left
   * out: the directory itself.
   */
  readonly path?: string;
  /** For people: what exactly will happen, such as a diff or the whole command. */
  readonly preview: string;
  /** What people should know before they allow it. */
  readonly warning?: string;
}

export type PermissionAction = "read" | "change" | "run" | "network" | "fetch" | "send" | "mcp";

export interface TouchedFile {
  /** Absolute, real path. */
  readonly path: string;
  /** Null when the file does not exist yet. */
  readonly before: Uint8Array | null;
}

export interface ToolContext {
  /** The session's directory, by its real path. */
  readonly directory: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** To be asked right before something is changed: false when that is not this run's to do (L5). */
  mayAct(): boolean;
  readonly settings: ToolSettings;
  /** Passes output on to people who watch while the tool runs; may be dropped. */
  progress(text: string): void;
  /** The hash of a file's content as this session last saw or wrote it; null if it never did. */
  seen(path: string): string | null;
  /** Whether the rules let this path be read without asking; for tools that look into many files. */
  mayRead(subject: string): boolean;
  /** Named by whoever sent the prompt that the run answers; left out where nobody has. */
  readonly model?: string;
  /** Asking people, and prompts to other sessions. */
  readonly agent: Pick<AgentContext, "ask" | "child" | "background" | "depth">;
}

export interface ToolSettings {
  /** Directories outside of the session's that file tools may use, by their real paths. */
  readonly allowedPaths: readonly string[];
  /** Directories that commands in a sandbox don't see, or can't change, wherever they are. */
  readonly guarded: {
    readonly hidden: readonly string[];
    readonly readOnly: readonly string[];
  };
  readonly shell: {
    readonly timeout: number;
    readonly maxOutput: number;
    /** `auto`: in a sandbox where the machine has one. `off`: never. `required`: or not at all. */
    readonly sandbox: "auto" | "off" | "required";
    /** Whether every command in the sandbox has the network. Otherwise a command has to ask for it. */
    readonly network: boolean;
    /** Environment variables that commands get besides the usual ones. */
    readonly variables: readonly string[];
  };
  readonly fetch: {
    readonly timeout: number;
    readonly maxBytes: number;
    /** Whether addresses of this machine and of private networks may be fetched. */
    readonly allowPrivate: boolean;
  };
  /** Milliseconds that looking through files may take. */
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
  /** What the model reads. */
  readonly output: string;
  readonly extra?: ToolExtra;
  /** What the model sees besides, if it can: images of at most `maxImageBytes`. */
  readonly files?: readonly ShownFile[];
}

/** What the strictest of the providers take; past it they would refuse the whole conversation. */
export const maxImageBytes = 5_000_000;

/** What the session remembers of a result beside its text; stored as JSON. */
export interface ToolExtra {
  /** Files whose content the session knows after this call. */
  readonly seen?: readonly { readonly path: string; readonly hash: string }[];
  /** A unified diff of what was changed, for people. */
  readonly diff?: string;
  /** The output was longer than what is kept. */
  readonly truncated?: boolean;
  readonly exitCode?: number | null;
  /** The whole list of what is to be done, as it is after this call. */
  readonly todo?: readonly TodoItem[];
  readonly [key: string]: unknown;
}

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "active" | "done";
}
