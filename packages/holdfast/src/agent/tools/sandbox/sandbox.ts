/** Runs a command with fewer rights than the user has. */
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
  /** Paths in emptied folders that are visible, but read-only. Default: none. */
  readonly visible?: readonly string[];
  /** Paths that the command may write. Everything else is read-only; /tmp and /run are private and empty. */
  readonly writable: readonly string[];
  /** Paths inside of writable folders that cannot be renamed or removed. */
  readonly pinned: readonly string[];
  /** Read-only paths, even inside of writable folders. */
  readonly readOnly: readonly string[];
  /** Paths that appear empty and read-only, even inside of writable folders. */
  readonly hidden: readonly string[];
  readonly network: boolean;
}

export interface SandboxedCommand {
  readonly command: readonly string[];
  /** Content of the file descriptors from 3 on, which the sandbox reads before it starts the command. */
  readonly inputs: readonly Uint8Array[];
  /**
   * File descriptor to which the sandbox writes the `child-pid` of its first process, as JSON. The kernel ends
   * all other processes before that one.
   */
  readonly status: number | null;
}
