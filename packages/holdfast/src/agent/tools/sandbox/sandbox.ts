/** Runs a command with fewer rights than the user has. */
export interface Sandbox {
  readonly name: string;
  wrap(view: SandboxView): SandboxedCommand;
}

/** A command, and the part of the machine that the command gets to see. All paths are real paths. */
export interface SandboxView {
  readonly command: readonly string[];
  readonly directory: string;
  /** The command may write here. Everything else is read-only; /tmp and /run are private and empty. */
  readonly writable: readonly string[];
  /** Stay in their place inside of writable folders: not to be renamed or removed. */
  readonly pinned: readonly string[];
  /** Read-only even inside of writable folders. */
  readonly readOnly: readonly string[];
  /** Seen as empty and read-only, even inside of writable folders. */
  readonly hidden: readonly string[];
  readonly network: boolean;
}

export interface SandboxedCommand {
  readonly command: readonly string[];
  /** Content of the file descriptors from 3 on, which the sandbox reads before it starts the command. */
  readonly inputs: readonly Uint8Array[];
  /**
   * The descriptor to which the sandbox writes, as JSON, the `child-pid` of its first process. The kernel
   * ends all others before that one.
   */
  readonly status: number | null;
}
