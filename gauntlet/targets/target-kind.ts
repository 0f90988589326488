import type { Target } from "../target.ts";

export interface OpenTarget {
  readonly target: Target;
  readonly close: () => Promise<void>;
}

/** A kind of program that the gauntlet (a test suite for agents) can test, chosen by name on the command line. */
export interface TargetKind {
  readonly name: string;
  /** True if the command line contains the start command of the agent. */
  readonly takesCommand: boolean;
  /** Stores on which the target can be tested. Empty if the gauntlet cannot choose the store of the target. */
  readonly stores: readonly string[];
  /** Prepares the program to test. Downloads the program if it is not installed. */
  open(options: OpenOptions): Promise<OpenTarget>;
}

export interface OpenOptions {
  /** The store to use, one of `TargetKind.stores`; null if this list is empty. */
  readonly store: string | null;
  /** Command that starts the agent to test. Empty if this kind of target takes no command. */
  readonly command: readonly string[];
  readonly progress: (message: string) => void;
}

export async function nothing(): Promise<void> {}
