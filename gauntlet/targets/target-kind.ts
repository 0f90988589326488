import type { Target } from "../target.ts";

export interface OpenTarget {
  readonly target: Target;
  readonly close: () => Promise<void>;
}

/** A kind of target that the command line can name. */
export interface TargetKind {
  readonly name: string;
  /** True if people give the start command of the agent. */
  readonly takesCommand: boolean;
  /** Stores to test the target on. Empty if the choice is not ours. */
  readonly stores: readonly string[];
  /** Prepares the target. Downloads it if it is not installed. */
  open(options: OpenOptions): Promise<OpenTarget>;
}

export interface OpenOptions {
  /** One of the stores; null if the kind has none. */
  readonly store: string | null;
  /** Start command of the agent. Empty if the kind takes no command. */
  readonly command: readonly string[];
  readonly progress: (message: string) => void;
}

export async function nothing(): Promise<void> {}
