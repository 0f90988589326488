import type {
  Budget,
  Hold,
  Outcome,
  ParentLink,
  RunLimits,
  SessionParent,
  SteerBinding,
  Tries,
  Usage,
} from "./state.ts";

/** An immutable fact in a session's log; `seq` is gapless per session. */
export type LaneEvent = Envelope & EventData;

export type EventOf<Type extends LaneEvent["type"]> = Extract<LaneEvent, { type: Type }>;

export interface Envelope {
  readonly sessionId: string;
  readonly seq: number;
  readonly at: number;
  readonly actor: Actor;
  /** The version of this event's shape, so that a newer program can read an older log. */
  readonly version: 1;
}

export interface Actor {
  readonly kind: "client" | "run" | "node";
  readonly id: string;
}

/** What a session began with instead of nothing: a transcript, by the name of its body. */
export type SessionOrigin =
  /** That of another session, up to one of its events. */
  | {
      readonly kind: "fork";
      readonly sessionId: string;
      readonly seq: number;
      readonly transcript: string;
    }
  | { readonly kind: "import"; readonly transcript: string };

export type Delivery = "queue" | "steer" | "interrupt" | "ifIdle";

/** Carried by every write of a run's owner: what it was given when it got the lane (L5). */
export interface Writer {
  readonly fence: number;
  readonly attempt: number;
}

export interface ResultOf {
  readonly sessionId: string;
  readonly promptId: string;
  readonly outcome: Outcome;
  readonly usage: Usage;
  /** The child still has live descendants. */
  readonly branch?: true;
}

export interface AnsweredCall {
  readonly callId: string;
  readonly name: string;
  /** The tool says that running it a second time is safe (R2). */
  readonly repeatable: boolean;
}

/** `inDoubt`: it may or may not have acted before a crash. `interrupted`: it was stopped (T1). */
export type ToolStatus = "completed" | "failed" | "denied" | "interrupted" | "inDoubt";

export type AskResolution =
  | {
      readonly kind: "answered";
      readonly verdict: "allow" | "deny";
      readonly body: string | null;
      /** What a budget's limit was raised by. */
      readonly raise?: Budget;
    }
  | { readonly kind: "expired" }
  | { readonly kind: "withdrawn" };

/** What an ask for a higher limit says: the account, and how it stood when the ask was opened. */
export interface BudgetAsk {
  readonly accountId: string;
  readonly spent: Usage;
  readonly limit: Budget;
  /** What a plain yes adds. */
  readonly raise: Budget;
}

/** The answer to a cancel: exactly what it covered, and what each of those was doing. */
export interface Receipt {
  readonly cancelId: string;
  readonly mark: number | null;
  readonly covered: readonly CoveredPrompt[];
  readonly work: readonly string[];
  /** Live descendants that the covered run waits for, directly or through one another. */
  readonly children: readonly CoveredChild[];
  /** All other live descendants: named always, covered only with `tree` (C7). */
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

/** done: by its owner. cancelled: likewise, when told to stop, or while it waited. */
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
      readonly origin: SessionOrigin | null;
    }
  /** `auto`: named by a program, not by a person. */
  | { readonly type: "session.renamed"; readonly title: string; readonly auto: boolean }
  | { readonly type: "session.archived"; readonly archived: boolean }
  /** `keepsTree`: its background children live on and are still reached through it. */
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
      /** The limit of whoever sent it; left out for none. */
      readonly directories?: readonly string[];
    }
  | {
      readonly type: "prompt.edited";
      readonly promptId: string;
      readonly revision: number;
      readonly body: string;
      /** Its limit from now on, where the editor's has made it narrower; a steer waits in the queue then. */
      readonly directories?: readonly string[];
    }
  /** `before` names a prompt or work, null the end. `unbound`: a steer becomes an ordinary prompt. */
  | {
      readonly type: "prompt.moved";
      readonly promptId: string;
      readonly before: string | null;
      readonly unbound: boolean;
    }
  /** Entered the transcript: in this run's step, or, for a message, into an idle lane (run null). */
  | { readonly type: "prompt.takenIn"; readonly promptId: string; readonly runId: string | null }
  /** Its run was cancelled by a mark below it: it waits again, and its words enter anew (C1). */
  | { readonly type: "prompt.returned"; readonly promptId: string; readonly runId: string }
  | { readonly type: "prompt.settled"; readonly promptId: string; readonly outcome: Outcome }
  /** Cancelled before it arrived: an accept under this id will be refused (C7). */
  | { readonly type: "prompt.tombstoned"; readonly promptId: string; readonly outcome: Outcome }
  /** A cancel with `tree` covers this background child while it runs: it will wake nobody (C7). */
  | { readonly type: "prompt.unwanted"; readonly promptId: string }
  | ({
      readonly type: "run.started";
      readonly runId: string;
      readonly promptId: string;
      readonly owner: string;
      readonly generation: string | null;
      /** What its directory should have had and had not, such as a late MCP server (M1). */
      readonly without?: readonly string[];
      readonly limits: RunLimits;
      readonly deadline: number | null;
    } & Writer)
  /** A new owner goes on with a run that was cut off, on the generation that it pinned (M7). */
  | ({
      readonly type: "run.resumed";
      readonly runId: string;
      readonly owner: string;
      readonly generation: string | null;
      readonly without?: readonly string[];
      readonly formerGeneration: string | null;
      /** The run's count from here on (R3); left out by 0.1.0. */
      readonly tries?: Tries;
    } & Writer)
  /** Kept for a person; nobody executes it. */
  | ({ readonly type: "run.suspended"; readonly runId: string; readonly cutOffAt: number } & Writer)
  /** A draining owner gave it up; this attempt is not counted against it (R3). */
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
  | ({ readonly type: "step.opened"; readonly runId: string; readonly step: number } & Writer)
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
      /** What it was about to do. */
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
      /** Null for a budget's ask, whose words follow from its numbers. */
      readonly body: string | null;
      readonly expiresAt: number | null;
      readonly budget?: BudgetAsk;
    } & Writer)
  /** An account above the run is spent: the run waits at its step boundary for the ask's answer (P6). */
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
      /** The prompt of this session that the child descends from. */
      readonly origin?: string;
      /** The acceptSeq of the prompt that started the run. */
      readonly acceptSeq?: number;
    } & Writer)
  | {
      readonly type: "child.settled";
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly outcome: Outcome;
      readonly usage: Usage;
      /** The child still has live descendants. */
      readonly branch?: true;
    }
  /** The last live descendant of a settled child has ended. */
  | {
      readonly type: "branch.ended";
      readonly childSessionId: string;
      readonly childPromptId: string;
    }
  | {
      readonly type: "cancel.committed";
      readonly receipt: Receipt;
      /** The interrupting prompt whose ledger entry keeps the receipt (L2). */
      readonly promptId: string | null;
    }
  | { readonly type: "hold.placed"; readonly hold: Hold }
  | { readonly type: "hold.released"; readonly holdId: string; readonly cause: HoldRelease }
  | {
      readonly type: "work.queued";
      readonly workId: string;
      readonly name: string;
      /** What the work is given. */
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
      /** What came of it, as told by its owner; null when somebody else ended it. */
      readonly body: string | null;
    };
