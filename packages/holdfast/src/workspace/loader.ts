import type { Workspace } from "../agent/agent.ts";

/** Reads the setup of a directory. It must not open anything that needs to be closed. */
export interface WorkspaceLoader {
  /** Throws a WorkspaceError if the directory cannot be loaded. */
  read(directory: string): Promise<Blueprint>;
}

/** The plan of a config version, before its resources are opened. */
export interface Blueprint {
  /** Digest of everything that was read. The same digest is the same config version. */
  readonly digest: string;
  /** Warnings for people, such as unknown keys or settings that need trust. */
  readonly notices: readonly Notice[];
  /** Resources to keep open while the config version is in use. */
  readonly resources: readonly ResourcePlan[];
  /** Builds the workspace and opens nothing. Resources that failed to open are missing in the map. */
  build(input: { generation: string; opened: ReadonlyMap<string, Resource> }): Workspace;
}

/** A resource of a config version. The next config version reuses it if it has the same key. */
export interface ResourcePlan {
  /** Identifies the resource and its config, such as `mcp:files:<hash of its config>`. */
  readonly key: string;
  /** Name for people. */
  readonly title: string;
  /** True: every config version can be built without this resource. Default: only the first one can. */
  readonly isOptional?: boolean;
  /**
   * Opens the resource. Must end soon after the signal aborts. After `patience` milliseconds it may open without
   * its slow parts and report them later through `onChange`.
   */
  open(signal: AbortSignal, patience: number | null): Promise<Resource>;
}

/** An open resource, such as a connection to an MCP server. */
export interface Resource {
  /** Changes if the offered tools or data change. Part of the config version's digest. */
  version(): string;
  /** Listens for changes that need a refresh of the directory. Returns a function that stops. */
  onChange(listener: () => void): () => void;
  /** Returns true if there is a change that was not reported yet. Called before each run, so it must be quick. */
  isOutdated?(): Promise<boolean>;
  /** Returns a warning for people, such as a part that is still missing, or null. */
  notice?(): string | null;
  /** Stops serving at once, even for runs that use it, because its key was withdrawn. */
  revoke?(): void;
  /** Returns true if an active run has used the resource. Optional: leave it out if you cannot tell. */
  isUsedBy?(runId: string): boolean;
  /** Called once, when no config version needs the resource any more. */
  close(): Promise<void>;
}

/** A problem in a config file. */
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
 * A directory cannot be loaded. The message contains the errors; `notices` also contains the warnings.
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

/** Creates an error without a position in a file. */
export function errorNotice(message: string): Notice {
  return { severity: "error", file: null, line: null, column: null, key: null, message };
}

/** Creates a warning without a position in a file. */
export function warning(message: string): Notice {
  return { ...errorNotice(message), severity: "warning" };
}

/** Formats a notice as one line: `file:line:column: key: message`. */
export function noticeText({ file, line, column, key, message }: Notice): string {
  const place = [file, line, column].filter((part) => part !== null).join(":");
  return [place, key ?? "", message].filter((part) => part !== "").join(": ");
}
