/** Runs commands with fewer permissions than the user has. */
export interface Sandbox {
  readonly name: string;
  wrap(view: SandboxView): SandboxedCommand;
}

/** A command and the part of the machine that it can see. All paths are real paths. */
export interface SandboxView {
  readonly command: readonly string[];
  readonly directory: string;
  /** Folders that appear empty, except for the paths in `visible` and `writable`. Default: none. */
  readonly emptied?: readonly string[];
  /** Paths inside the folders of `emptied` that the command can still read, but not write. Default: none. */
  readonly visible?: readonly string[];
  /** Paths to which the command may write. Everything else is read-only; /tmp and /run are private and empty. */
  readonly writable: readonly string[];
  /** Paths within writable folders that cannot be renamed or removed. */
  readonly pinned: readonly string[];
  /** Read-only paths, even within writable folders. */
  readonly readOnly: readonly string[];
  /** Paths that appear empty and read-only, even within writable folders. */
  readonly hidden: readonly string[];
  readonly network: boolean;
}

export interface SandboxedCommand {
  readonly command: readonly string[];
  /** Content of each file descriptor from 3 on, which the sandbox reads before it starts the command. */
  readonly inputs: readonly Uint8Array[];
  /**
   * File descriptor to which the sandbox writes the pid of its first process, as JSON (`child-pid`). When this process
   * has ended, all processes of the sandbox have ended: the kernel kills the others before it reports the end of the
   * first.
   */
  readonly status: number | null;
}
