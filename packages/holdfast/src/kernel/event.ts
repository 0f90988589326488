import type {
  Budget,
  Hold,
  Outcome,
  ParentLink,
  RunLimits,
  SessionMode,
  SessionParent,
  SteerBinding,
  Tries,
  Usage,
} from "./state.ts";

/** An immutable fact in a session's log. `seq` has no gaps within a session. */
export type LaneEvent = Envelope & EventData;

export type EventOf<Type extends LaneEvent["type"]> = Extract<LaneEvent, { type: Type }>;

export interface Envelope {
  readonly sessionId: string;
  readonly seq: number;
  readonly at: number;
  readonly actor: Actor;
  /** Version of this event's shape, so that a newer release can read an older log. */
  readonly version: 1;
}

export interface Actor {
  readonly kind: "client" | "run" | "node";
  readonly id: string;
}

/** The messages with which a forked or imported session starts. `transcript` is the hash of the stored messages. */
export type SessionOrigin =
  /** The transcript of another session, up to one of its events. */
  | {
      readonly kind: "fork";
      readonly sessionId: string;
      readonly seq: number;
      readonly transcript: string;
    }
  | { readonly kind: "import"; readonly transcript: string };

export type Delivery = "queue" | "steer" | "interrupt" | "ifIdle";

/** Fencing token and attempt number of the run's owner, on every event that the owner writes (L5). */
export interface Writer {
  readonly fence: number;
  readonly attempt: number;
}

export interface ResultOf {
  readonly sessionId: string;
  readonly promptId: string;
  readonly outcome: Outcome;
  readonly usage: Usage;
  /** True if other prompts that this child prompt started, directly or indirectly, have not ended yet. */
  readonly branch?: true;
}

export interface AnsweredCall {
  readonly callId: string;
  readonly name: string;
  /** True if the tool declares that running it twice is safe (R2). */
  readonly repeatable: boolean;
  /**
   * Set if a hosted agent executes the call. The call may act at any time, except while its permission request is
   * open or after it was denied (H4). Omitted: this process executes the call.
   */
  readonly seen?: true;
}

/** `inDoubt`: the call may or may not have acted before a crash. `interrupted`: the call was stopped (T1). */
export type ToolStatus = "completed" | "failed" | "denied" | "interrupted" | "inDoubt";

export type AskResolution =
  | {
      readonly kind: "answered";
      readonly verdict: "allow" | "deny";
      readonly body: string | null;
      /** Amount that was added to the budget's limit. */
      readonly raise?: Budget;
    }
  | { readonly kind: "expired" }
  | { readonly kind: "withdrawn" };

/** Data of a request for a higher limit: the account, and its values when the request was opened. */
export interface BudgetAsk {
  readonly accountId: string;
  readonly spent: Usage;
  readonly limit: Budget;
  /** Amount that is added to the limit if the person agrees without naming an amount. */
  readonly raise: Budget;
}

/** The answer to a cancel: exactly what the cancel covered, and the state of each covered prompt. */
export interface Receipt {
  readonly cancelId: string;
  readonly mark: number | null;
  readonly covered: readonly CoveredPrompt[];
  readonly work: readonly string[];
  /** Unfinished prompts in child sessions that the cancelled run waits for, directly or indirectly. */
  readonly children: readonly CoveredChild[];
  /** Unfinished prompts in child sessions that the cancelled run does not wait for. Only `tree` cancels them (C7). */
  readonly background: readonly CoveredChild[];
  readonly tree: boolean;
}

export interface CoveredPrompt {
  readonly promptId: string;
  readonly acceptSeq: number;
  readonly was: "queued" | "steering" | "running" | "takenIn";
  readonly runId: string | null;
}

export interface CoveredChild {
  readonly sessionId: string;
  readonly promptId: string;
}

/**
 * How an exclusive operation ended. `done`: by its owner. `cancelled`: by its owner after a stop, or while it waited.
 */
export type WorkEnd = "done" | "cancelled" | "enforced" | "takeover" | "deleted";

export type HoldRelease = "person" | "refresh" | "retryTime" | "newPrompt" | "runEnded" | "deleted";

export type EventData =
  | {
      readonly type: "session.created";
      readonly contentHash: string;
      readonly directory: string;
      readonly parent: SessionParent | null;
      readonly budget: Budget | null;
      readonly onBudget?: "ask";
      readonly agent?: string;
      readonly origin: SessionOrigin | null;
    }
  /** `auto`: true if a program chose the title, not a person. */
  | { readonly type: "session.renamed"; readonly title: string; readonly auto: boolean }
  | { readonly type: "session.archived"; readonly archived: boolean }
  | { readonly type: "session.modeSet"; readonly mode: SessionMode }
  /** `agent: null`: the default agent of the directory. */
  | { readonly type: "session.agentSet"; readonly agent: string | null }
  /** `keepsTree`: background children continue and can still be reached through this session. */
  | { readonly type: "session.deleted"; readonly keepsTree?: true }
  | {
      readonly type: "prompt.accepted";
      readonly promptId: string;
      readonly contentHash: string;
      readonly body: string | null;
      readonly delivery: Delivery;
      readonly binding: SteerBinding | null;
      readonly reply: boolean;
      readonly expiresAt: number | null;
      readonly maxRunTime: number | null;
      readonly budget: Budget | null;
      readonly onBudget?: "ask";
      readonly accounts?: readonly string[];
      readonly parent: ParentLink | null;
      readonly resultOf: ResultOf | null;
      /** Directories that the sender is limited to; omitted: no limit. */
      readonly directories?: readonly string[];
    }
  | {
      readonly type: "prompt.edited";
      readonly promptId: string;
      readonly revision: number;
      readonly body: string;
      /** New directory limit if the edit made it narrower. A steer becomes an ordinary prompt then. */
      readonly directories?: readonly string[];
    }
  /**
   * `before`: the prompt or exclusive operation that now follows the moved prompt; null: none follows. `unbound`: true
   * if a steered prompt became an ordinary prompt.
   */
  | {
      readonly type: "prompt.moved";
      readonly promptId: string;
      readonly before: string | null;
      readonly unbound: boolean;
    }
  /**
   * The prompt became part of the transcript: with a step of this run, or, for a message in an idle lane, without a
   * run (null).
   */
  | { readonly type: "prompt.takenIn"; readonly promptId: string; readonly runId: string | null }
  /**
   * A cancel stopped the run but does not cover this prompt, because the prompt was accepted later. The prompt
   * returns to the queue and joins the transcript again with a later run (C1).
   */
  | { readonly type: "prompt.returned"; readonly promptId: string; readonly runId: string }
  | { readonly type: "prompt.settled"; readonly promptId: string; readonly outcome: Outcome }
  /** The prompt was cancelled before it arrived: a later accept with this id is refused (C7). */
  | { readonly type: "prompt.tombstoned"; readonly promptId: string; readonly outcome: Outcome }
  /** A cancel with `tree` covers this running background child: its outcome will not start a run of its parent (C7). */
  | { readonly type: "prompt.unwanted"; readonly promptId: string }
  | ({
      readonly type: "run.started";
      readonly runId: string;
      readonly promptId: string;
      readonly owner: string;
      readonly generation: string | null;
      /** Resources of the directory, such as a slow MCP server, that were missing when the run started (M1). */
      readonly without?: readonly string[];
      readonly limits: RunLimits;
      readonly deadline: number | null;
    } & Writer)
  /** A new owner continues an interrupted run. `generation`: the config version that the run uses from now on (M7). */
  | ({
      readonly type: "run.resumed";
      readonly runId: string;
      readonly owner: string;
      readonly generation: string | null;
      readonly without?: readonly string[];
      readonly formerGeneration: string | null;
      /** How often the run was started, including this start (R3); absent in logs of 0.1.0. */
      readonly tries?: Tries;
    } & Writer)
  /** The run waits for a person; no process executes it. */
  | ({ readonly type: "run.suspended"; readonly runId: string; readonly cutOffAt: number } & Writer)
  /** A draining owner gave up the run; this attempt does not count (R3). */
  | ({ readonly type: "run.handedOver"; readonly runId: string; readonly tries?: Tries } & Writer)
  | {
      readonly type: "run.stopping";
      readonly runId: string;
      readonly outcome: Outcome;
      readonly mark: number | null;
      readonly deadline: number;
    }
  | {
      readonly type: "run.closing";
      readonly runId: string;
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly mark: number | null;
    }
  | {
      readonly type: "run.ended";
      readonly runId: string;
      readonly attempt: number;
      readonly outcome: Outcome;
      readonly usage: Usage;
    }
  | ({
      readonly type: "step.opened";
      readonly runId: string;
      readonly step: number;
      /** Id of the active tool call during which a hosted agent reports this step; omitted: no hosted agent. */
      readonly within?: string;
    } & Writer)
  | ({
      readonly type: "step.answered";
      readonly runId: string;
      readonly step: number;
      readonly body: string;
      readonly calls: readonly AnsweredCall[];
      readonly usage: Usage;
      readonly interrupted: boolean;
    } & Writer)
  | ({
      readonly type: "tool.started";
      readonly runId: string;
      readonly callId: string;
      /** Description of the planned action. */
      readonly body: string | null;
    } & Writer)
  | ({
      readonly type: "tool.ended";
      readonly runId: string;
      readonly callId: string;
      readonly status: ToolStatus;
      readonly body: string | null;
    } & Writer)
  | ({
      readonly type: "ask.opened";
      readonly runId: string;
      readonly askId: string;
      readonly callId: string | null;
      /** The running tool call that opened the ask and waits for its answer. Omitted: no call waits. */
      readonly within?: string;
      /** Null for a request for a higher limit: clients build its text from the amounts in `budget`. */
      readonly body: string | null;
      readonly expiresAt: number | null;
      readonly budget?: BudgetAsk;
    } & Writer)
  /**
   * An account that the run is charged to is used up. The run starts no step until the request for a higher limit is
   * closed (P6).
   */
  | { readonly type: "run.waiting"; readonly runId: string; readonly accountId: string }
  | { readonly type: "run.woken"; readonly runId: string; readonly accountId: string }
  | {
      readonly type: "ask.closed";
      readonly runId: string;
      readonly askId: string;
      readonly resolution: AskResolution;
    }
  | ({
      readonly type: "child.linked";
      readonly runId: string;
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly background: boolean;
      readonly callId: string | null;
      /** The prompt of this session that caused the child. */
      readonly origin?: string;
      /** `acceptSeq` of the prompt that started the run `runId`. */
      readonly acceptSeq?: number;
    } & Writer)
  | {
      readonly type: "child.settled";
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly outcome: Outcome;
      readonly usage: Usage;
      /** True if other prompts that this child prompt started, directly or indirectly, have not ended yet. */
      readonly branch?: true;
    }
  /** A child prompt ended earlier. Now the last prompt that it started, directly or indirectly, has ended too. */
  | {
      readonly type: "branch.ended";
      readonly childSessionId: string;
      readonly childPromptId: string;
    }
  | {
      readonly type: "cancel.committed";
      readonly receipt: Receipt;
      /** The prompt with delivery `interrupt` that caused this cancel; its row stores the receipt (L2). Null: none. */
      readonly promptId: string | null;
    }
  | { readonly type: "hold.placed"; readonly hold: Hold }
  | {
      readonly type: "hold.released";
      readonly holdId: string;
      readonly cause: HoldRelease;
      /** True if the release lets the paused active run resume (R1). Release 0.1.0 omits it. */
      readonly resumesRun?: boolean;
    }
  | {
      readonly type: "work.queued";
      readonly workId: string;
      readonly name: string;
      /** Hash of the input of the operation. */
      readonly body: string | null;
    }
  | {
      readonly type: "work.started";
      readonly workId: string;
      readonly owner: string;
      readonly fence: number;
      readonly stopGrace: number;
    }
  | { readonly type: "work.stopping"; readonly workId: string; readonly deadline: number }
  | {
      readonly type: "work.ended";
      readonly workId: string;
      readonly cause: WorkEnd;
      /** Hash of the result that the owner reported; null if another process ended the operation. */
      readonly body: string | null;
    };
