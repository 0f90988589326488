import type { Workspace } from "../agent/agent.ts";

/** Reads the setup of a directory. It must not open anything that needs to be closed. */
export interface WorkspaceLoader {
  /** Throws a WorkspaceError if the directory cannot be loaded. */
  read(directory: string): Promise<Blueprint>;
}

/** The content of a future config version, before its resources are opened. */
export interface Blueprint {
  /** Digest of everything that was read. Equal digests mean the same config version. */
  readonly digest: string;
  /** Warnings for people, such as unknown keys or settings that need trust. */
  readonly notices: readonly Notice[];
  /** Resources to keep open while the config version is in use. */
  readonly resources: readonly ResourcePlan[];
  /** Builds the workspace from the opened resources. Resources that failed to open are missing from the map. */
  build(input: { generation: string; opened: ReadonlyMap<string, Resource> }): Workspace;
}

/** A place in a config file. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
}

/** A resource of a config version. The next config version reuses it if it has the same key. */
export interface ResourcePlan {
  /** Identifies the resource and its config, such as `mcp:files:<hash of its config>`. */
  readonly key: string;
  /** Name of the resource in messages. */
  readonly title: string;
  /** The place in a config file that defines the resource. Omitted: no file defines it. */
  readonly place?: FilePlace | undefined;
  /**
   * True: the directory is loaded even if this resource cannot be opened. Default: only the first load of the directory
   * succeeds without this resource. A later load fails, and the current config version stays in use.
   */
  readonly isOptional?: boolean;
  /**
   * Opens the resource. Must settle soon after the signal aborts. After `patience` milliseconds it may resolve without
   * its slow parts and report them later through `onChange`.
   */
  open(signal: AbortSignal, patience: number | null): Promise<Resource>;
}

/** An open resource, such as a connection to an MCP server. */
export interface Resource {
  /** A value that changes whenever the offered tools or data change. Part of the config version's digest. */
  version(): string;
  /**
   * Calls the listener when a change requires a refresh of the directory. Returns a function that removes the listener.
   */
  onChange(listener: () => void): () => void;
  /** Returns true if there is a change that was not reported yet. Called before each run, so it must be fast. */
  isOutdated?(): Promise<boolean>;
  /** Returns a warning for people, for example that an MCP server is still unavailable; null if there is none. */
  notice?(): string | null;
  /**
   * Stops the resource immediately, even for runs that use it, because its credentials (such as an API key) were
   * removed.
   */
  revoke?(): void;
  /**
   * Returns true if this run, which is still active, has used the resource. If this method is missing, every run counts
   * as a user.
   */
  isUsedBy?(runId: string): boolean;
  /** Called once, when no config version needs the resource any more. */
  close(): Promise<void>;
}

/** A problem in a config. */
export interface Notice {
  readonly severity: "error" | "warning";
  /** Null if the problem is not in a file. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Config key, such as `mcp.files.command`; null if the problem concerns the whole file. */
  readonly key: string | null;
  readonly message: string;
}

/**
 * Thrown if a directory cannot be loaded. The message contains the errors; `notices` also contains the warnings.
 *
 * @example
 * const notice = { file: "app.json", line: 3, column: 1, key: null, message: "a comma is missing" };
 * throw new WorkspaceError([{ severity: "error", ...notice }]);
 */
export class WorkspaceError extends Error {
  readonly code = "brokenWorkspace";
  readonly notices: readonly Notice[];

  constructor(notices: readonly Notice[], options: { cause?: unknown } = {}) {
    super(notices.filter(isError).map(noticeText).join("\n"), options);
    this.name = "WorkspaceError";
    this.notices = notices;
  }
}

export function isError({ severity }: Notice): boolean {
  return severity === "error";
}

/**
 * True if a server could not be opened because a person must sign in first. The class McpProblem is not imported here:
 * that would load the MCP client.
 */
export function needsSignIn(error: unknown): boolean {
  return error instanceof Error && "needsSignIn" in error && error.needsSignIn === true;
}

/** Creates an error notice without a position in a file. */
export function errorNotice(message: string): Notice {
  return { severity: "error", file: null, line: null, column: null, key: null, message };
}

/** Creates a warning notice without a position in a file. */
export function warning(message: string): Notice {
  return { ...errorNotice(message), severity: "warning" };
}

/** Formats a notice as one line: `file:line:column: key: message`. */
export function noticeText({ file, line, column, key, message }: Notice): string {
  const place = [file, line, column].filter((part) => part !== null).join(":");
  return [place, key ?? "", message].filter((part) => part !== "").join(": ");
}
