import type { Workspace } from "../agent/agent.ts";

/** Reads what a directory is set up with. It must not open anything that would have to be closed. */
export interface WorkspaceLoader {
  /** Throws a WorkspaceError that says exactly what is wrong. */
  read(directory: string): Promise<Blueprint>;
}

/** What a generation would be made of, before anything of it is opened. */
export interface Blueprint {
  /** Of all that was read: the same digest is the same generation. */
  readonly digest: string;
  /** For people: unknown keys, things left out because the directory is not trusted. */
  readonly notices: readonly Notice[];
  /** What is to be open while the generation lives. */
  readonly resources: readonly ResourcePlan[];
  /** Makes the frozen workspace. A resource that did not open is not in the map; it opens nothing. */
  build(parts: { generation: string; opened: ReadonlyMap<string, Resource> }): Workspace;
}

/** Something that lives longer than a generation: the next one with the same key carries it over. */
export interface ResourcePlan {
  /** Of what it is and how it is configured, such as `mcp:files:<hash of its config>`. */
  readonly key: string;
  /** For people. */
  readonly title: string;
  /**
   * Must end soon after the signal aborts. With patience, in milliseconds, it may open without what is
   * not there by then: it offers that later, as a change.
   */
  open(signal: AbortSignal, patience: number | null): Promise<Resource>;
}

export interface Resource {
  /** Changes when what it offers does: part of the generation's digest. */
  version(): string;
  /** It offers something else now, and the directory wants a refresh. Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  /** Something has changed that it has not told yet. Asked before each run pins, so it must be quick. */
  isOutdated?(): Promise<boolean>;
  /** What people should know of it, such as that something is not there yet; null when all is well. */
  notice?(): string | null;
  /** It must serve nobody from now on, though runs have it pinned: its key is not to be used again. */
  revoke?(): void;
  /** The run has begun to use it and has not ended; left out where nobody can tell. */
  isUsedBy?(runId: string): boolean;
  /** Called once, when no generation needs it any more. */
  close(): Promise<void>;
}

/** Where something in a config is not as it should be. */
export interface Notice {
  readonly severity: "error" | "warning";
  /** Null where it is not about a file. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** As `mcp.files.command`; null where it is about the whole file. */
  readonly key: string | null;
  readonly message: string;
}

/** A directory that cannot be loaded: its errors are the message, its notices all that is to be said. */
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

/** An error that is about no place in a file. */
export function about(message: string): Notice {
  return { severity: "error", file: null, line: null, column: null, key: null, message };
}

/** A warning that is about no place in a file. */
export function warning(message: string): Notice {
  return { ...about(message), severity: "warning" };
}

/** One line: `file:line:column: key: what is wrong`. */
export function noticeText({ file, line, column, key, message }: Notice): string {
  const place = [file, line, column].filter((part) => part !== null).join(":");
  return [place, key ?? "", message].filter((part) => part !== "").join(": ");
}
