import type { Target } from "./state.ts";

/**
 * An event for the scheduler: news of a lane, the outcome of an effect, or a change of this process's own
 * state.
 */
export type Input =
  /** A prompt is about to be sent to a lane that this process believes to be idle. */
  | { readonly type: "accept"; readonly sessionId: string; readonly directory: string }
  /** A signal about a lane. */
  | ({ readonly type: "heard" } & LaneNews)
  /** A lane was read (effect `look` or `giveUp`). */
  | ({ readonly type: "looked" } & LaneNews)
  /** A signal that the lane has changed, without details. */
  | { readonly type: "hint"; readonly sessionId: string }
  /** Result of `scan`, oldest lanes first. `isWhole`: the scan found all ready lanes, except those that it left out. */
  | { readonly type: "scanned"; readonly targets: readonly Target[]; readonly isWhole: boolean }
  | { readonly type: "scanFailed" }
  /**
   * Outcomes of the effect `claim`. `owner`: the node id under which the lane was claimed. `isRetry`: an earlier attempt of
   * the run crashed (R3).
   */
  | {
      readonly type: "claimed";
      readonly sessionId: string;
      readonly owner: string;
      readonly isRetry: boolean;
    }
  | { readonly type: "unclaimed"; readonly sessionId: string; readonly why: Unclaimed }
  /**
   * The lane cannot start until its directory is loaded. The next input is `loaded` or `unclaimed`. It is `claimed` if
   * the directory cannot be loaded: the run then starts and fails with that error.
   */
  | { readonly type: "loading"; readonly sessionId: string }
  | { readonly type: "loaded"; readonly sessionId: string }
  /** `lent`: other runs may use the slot, as this run waits or stops. `returning`: this run wants its slot back. */
  | { readonly type: "lent"; readonly sessionId: string }
  | { readonly type: "returning"; readonly sessionId: string }
  /** The retried run has committed a step, so this attempt did not crash the process (R3). */
  | { readonly type: "stepped"; readonly sessionId: string }
  /** The execution has ended. `needsNothing`: after its last commit the lane needs nothing, so do not read the lane. */
  | { readonly type: "ended"; readonly sessionId: string; readonly needsNothing: boolean }
  /** A timed change of a lane, such as an expiry, was committed. The scan that found it had no room for other lanes. */
  | { readonly type: "ticked" }
  | { readonly type: "present"; readonly directory: string }
  | { readonly type: "leased"; readonly node: string }
  | { readonly type: "leaseLost" }
  /** The lanes that this process owns according to the store. */
  | { readonly type: "owned"; readonly sessionIds: readonly string[] }
  /** It is time to poll, or signals were missed: check everything again. */
  | { readonly type: "poll" }
  | { readonly type: "drain" }
  | { readonly type: "deadline" };

/** The need of one lane, as a signal or a read of the lane describes it. */
export interface LaneNews {
  readonly sessionId: string;
  /** The action that the lane needs now; null: none. */
  readonly target: Target | null;
  /**
   * True if the lane also needs an action at a set time, such as the expiry of a prompt. Only a scan finds that time. A
   * signal with a target leaves this out: the next scan finds the time.
   */
  readonly isDue: boolean;
}

/**
 * Reason for a failed claim. `moved`: another process has the lane, or nothing is left to do. `elsewhere`: the parent's
 * node must start the run (M7).
 */
export type Unclaimed = "moved" | "absent" | "elsewhere";

/** An action that the runner must execute. */
export type Effect =
  /** Send the prompt. `starts`: the same commit should also start the prompt's run, so no separate `claim` follows. */
  | { readonly type: "send"; readonly sessionId: string; readonly starts: boolean }
  | { readonly type: "claim"; readonly target: Target }
  | {
      readonly type: "scan";
      readonly limit: number;
      /** Directories in which no run can start now. */
      readonly full: readonly string[];
      /** Directories that are not on this machine. */
      readonly absent: readonly string[];
      readonly takeOvers: boolean;
    }
  | { readonly type: "look"; readonly sessionId: string }
  /** Execute the claimed run or exclusive operation. */
  | { readonly type: "begin"; readonly sessionId: string }
  /** Tell the run that it has its slot again. */
  | { readonly type: "resume"; readonly sessionId: string }
  /** Release the config version that was loaded for the lane, because there is no free slot now. */
  | { readonly type: "giveBack"; readonly sessionId: string }
  /** Hand over a lane that this process owns but does not execute, then read the lane again. */
  | { readonly type: "giveUp"; readonly sessionId: string }
  /** Stop the execution at once and write nothing more (L5). */
  | { readonly type: "abandon"; readonly sessionId: string }
  | { readonly type: "handOver"; readonly sessionId: string; readonly when: "asking" | "now" }
  /** Report that every lane found by the first scan was claimed or skipped. */
  | { readonly type: "ready" }
  | { readonly type: "drained" };
