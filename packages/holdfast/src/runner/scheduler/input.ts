import type { Target } from "./state.ts";

/**
 * An event for the scheduler: news of a lane, the outcome of an effect, or a change of this process's own
 * state.
 */
export type Input =
  /** A prompt will be sent to a lane that is idle as far as this process knows. */
  | { readonly type: "accept"; readonly sessionId: string; readonly directory: string }
  /** A signal that says what the lane needs now. */
  | { readonly type: "heard"; readonly sessionId: string; readonly target: Target | null }
  /** Outcome of `look` or `giveUp`. */
  | { readonly type: "looked"; readonly sessionId: string; readonly target: Target | null }
  /** A signal that the lane has changed, without details. */
  | { readonly type: "hint"; readonly sessionId: string }
  /** Outcome of `scan`. `isWhole`: no ready lane was left out, except for excluded ones. */
  | { readonly type: "scanned"; readonly targets: readonly Target[]; readonly isWhole: boolean }
  | { readonly type: "scanFailed" }
  /** Outcomes of `claim`. `isRetry`: the run has been tried before (R3). */
  | { readonly type: "claimed"; readonly sessionId: string; readonly isRetry: boolean }
  | { readonly type: "unclaimed"; readonly sessionId: string; readonly why: Unclaimed }
  /**
   * The claim waits for its directory. `loaded` or `unclaimed` follows, or `claimed` for a run that can only
   * report why the directory does not load.
   */
  | { readonly type: "loading"; readonly sessionId: string }
  | { readonly type: "loaded"; readonly sessionId: string }
  /** The run lends its slot while it waits, wants the slot back, or no longer wants it back (`lent` again). */
  | { readonly type: "lent"; readonly sessionId: string }
  | { readonly type: "returning"; readonly sessionId: string }
  /** The run has committed a step, so this attempt did not crash the process (R3). */
  | { readonly type: "stepped"; readonly sessionId: string }
  | { readonly type: "ended"; readonly sessionId: string }
  | { readonly type: "present"; readonly directory: string }
  | { readonly type: "leased"; readonly node: string }
  | { readonly type: "leaseLost" }
  /** Lanes that this process owns according to the store. */
  | { readonly type: "owned"; readonly sessionIds: readonly string[] }
  /** Time has passed or signals were missed: check everything again. */
  | { readonly type: "poll" }
  | { readonly type: "drain" }
  | { readonly type: "deadline" };

/**
 * `moved`: another process has the lane, or nothing is left to do. `elsewhere`: the parent's node must start the run
 * (M7).
 */
export type Unclaimed = "moved" | "absent" | "elsewhere";

/** An action that the runner must execute. */
export type Effect =
  /** Send the prompt. `starts`: the same commit should also start the prompt's run, which counts as a claim. */
  | { readonly type: "send"; readonly sessionId: string; readonly starts: boolean }
  | { readonly type: "claim"; readonly target: Target }
  | {
      readonly type: "scan";
      readonly limit: number;
      /** Directories in which nothing can start now. */
      readonly full: readonly string[];
      /** Directories that are not on this machine. */
      readonly absent: readonly string[];
      readonly takeOvers: boolean;
    }
  | { readonly type: "look"; readonly sessionId: string }
  /** Execute the claimed run or work. */
  | { readonly type: "begin"; readonly sessionId: string }
  /** The run has its slot again. */
  | { readonly type: "resume"; readonly sessionId: string }
  /** Release the config version that was loaded for the lane: there is no free slot now. */
  | { readonly type: "giveBack"; readonly sessionId: string }
  /** Hand over a lane that this process owns but does not execute, then check it. */
  | { readonly type: "giveUp"; readonly sessionId: string }
  /** Stop at once and write nothing more (L5). */
  | { readonly type: "abandon"; readonly sessionId: string }
  | { readonly type: "handOver"; readonly sessionId: string; readonly when: "asking" | "now" }
  /** The runs of the first scan are claimed or skipped. */
  | { readonly type: "ready" }
  | { readonly type: "drained" };
