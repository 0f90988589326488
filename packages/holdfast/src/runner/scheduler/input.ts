import type { Target } from "./state.ts";

/** Something that happened: news, the outcome of an effect, or a change of this process's own state. */
export type Input =
  /** A prompt is to be sent to a lane that is idle, as far as this process knows. */
  | { readonly type: "accept"; readonly sessionId: string; readonly directory: string }
  /** A signal says what the lane wants now. */
  | { readonly type: "heard"; readonly sessionId: string; readonly target: Target | null }
  /** Outcome of `look` or `giveUp`. */
  | { readonly type: "looked"; readonly sessionId: string; readonly target: Target | null }
  /** A lane has changed; nobody said how. */
  | { readonly type: "hint"; readonly sessionId: string }
  /** Outcome of `scan`. `isWhole`: no ready lane was left out, apart from the excluded ones. */
  | { readonly type: "scanned"; readonly targets: readonly Target[]; readonly isWhole: boolean }
  | { readonly type: "scanFailed" }
  /** Outcomes of `claim`. `isRetry`: the run has been tried before (R3). */
  | { readonly type: "claimed"; readonly sessionId: string; readonly isRetry: boolean }
  | { readonly type: "unclaimed"; readonly sessionId: string; readonly why: Unclaimed }
  /**
   * The claim waits for its directory. `loaded` or `unclaimed` follows, or `claimed` for a run that can
   * only report why the directory does not load.
   */
  | { readonly type: "loading"; readonly sessionId: string }
  | { readonly type: "loaded"; readonly sessionId: string }
  /** The run lends its place while it waits, wants it back, or no longer does (`lent` again). */
  | { readonly type: "lent"; readonly sessionId: string }
  | { readonly type: "returning"; readonly sessionId: string }
  /** The run has committed a step: its attempt did no harm (R3). */
  | { readonly type: "stepped"; readonly sessionId: string }
  | { readonly type: "ended"; readonly sessionId: string }
  | { readonly type: "present"; readonly directory: string }
  | { readonly type: "leased"; readonly node: string }
  | { readonly type: "leaseLost" }
  /** Lanes that the store counts as this process's own. */
  | { readonly type: "owned"; readonly sessionIds: readonly string[] }
  /** Time has passed, or signals were missed: look at everything again. */
  | { readonly type: "poll" }
  | { readonly type: "drain" }
  | { readonly type: "deadline" };

/** moved: another process has it, or nothing is left to do. elsewhere: left to the parent's node (M7). */
export type Unclaimed = "moved" | "absent" | "elsewhere";

/** Something that the runner must do. */
export type Effect =
  /** Send the prompt; with `starts`, its start follows in the same commit, as a claim. */
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
  /** Execute what was claimed. */
  | { readonly type: "begin"; readonly sessionId: string }
  /** The run has its place again. */
  | { readonly type: "resume"; readonly sessionId: string }
  /** Release the generation that was loaded for the lane: there is no place for it now. */
  | { readonly type: "giveBack"; readonly sessionId: string }
  /** Hand over a lane in this process's name that nothing here executes, then look at it. */
  | { readonly type: "giveUp"; readonly sessionId: string }
  /** Stop at once and write nothing more (L5). */
  | { readonly type: "abandon"; readonly sessionId: string }
  | { readonly type: "handOver"; readonly sessionId: string; readonly when: "asking" | "now" }
  /** The first scan's runs are claimed or left. */
  | { readonly type: "ready" }
  | { readonly type: "drained" };
