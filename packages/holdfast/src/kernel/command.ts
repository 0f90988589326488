import type { Caps } from "./cap.ts";
import type { Directories } from "./directories.ts";
import type {
  Actor,
  AnsweredCall,
  Delivery,
  ResultOf,
  SessionOrigin,
  ToolStatus,
} from "./event.ts";
import type {
  Budget,
  OnBudget,
  Outcome,
  ParentLink,
  Reason,
  SessionMode,
  SessionParent,
  Usage,
} from "./state.ts";

/** A request to one lane. `at`: the time by the store's clock, read inside the transaction. */
export type Command = CommandEnvelope & CommandData;

export interface CommandEnvelope {
  readonly sessionId: string;
  readonly actor: Actor;
  readonly at: number;
}

/** Proof that the writer owns the run: the values that run.started or run.resumed returned (L5). */
export interface RunHandle {
  readonly runId: string;
  readonly fence: number;
  readonly attempt: number;
}

/** Proof that the writer owns the exclusive operation: the values that work.started returned. */
export interface WorkHandle {
  readonly workId: string;
  readonly fence: number;
}

export interface AcceptLimits {
  readonly maxQueue: number;
  readonly maxBytes: number;
  /** True if the process is shutting down: the prompt should be sent to another process. */
  readonly draining: boolean;
}

export type TombstoneReach = "stop" | "enforce" | "absent";

export type CancelScope =
  /** Covers every unsettled prompt that was accepted before the cancel, or only those up to the event number `upTo` (C1). */
  | { readonly kind: "session"; readonly upTo: number | null; readonly tree: boolean }
  | { readonly kind: "prompt"; readonly promptId: string }
  /** Cancels only waiting prompts; the active run continues. */
  | { readonly kind: "queue" }
  /** Covers the active run and all prompts that have joined it; waiting prompts stay in the queue (M5). */
  | { readonly kind: "run"; readonly runId: string };

export interface AcceptCommand {
  readonly type: "prompt.accept";
  readonly promptId: string;
  /** Hash of the original text, attachments, delivery and options (P3). */
  readonly contentHash: string;
  readonly body: string | null;
  readonly bytes: number;
  readonly delivery: Delivery;
  readonly reply: boolean;
  readonly expectedRunId: string | null;
  readonly expiresAt: number | null;
  readonly maxRunTime: number | null;
  readonly budget: Budget | null;
  /** Action when the budget is used up. Default: the run fails. */
  readonly onBudget?: OnBudget;
  /** Budget accounts of the token or run that sent this prompt, or of the child whose result it reports (P6). */
  readonly accounts?: readonly string[];
  readonly parent: ParentLink | null;
  /** Set only on the prompt that reports a background child's outcome to its parent (C7). */
  readonly resultOf: ResultOf | null;
  /** Directories that the sender is limited to; omitted: no limit. */
  readonly directories?: Directories;
  /**
   * Set only on a message in which an exclusive operation, such as an undo, announces its action. The message becomes
   * part of the conversation at once (M8).
   */
  readonly work?: WorkHandle;
  readonly limits: AcceptLimits;
}

/** `asOf`: `seq` of the last event that the caller has seen. If the log has newer events, the command is refused. */
export interface AsOf {
  readonly asOf?: number;
}

export interface RunEndCommand {
  readonly type: "run.end";
  readonly handle: RunHandle;
  readonly outcome: {
    readonly status: "completed" | "failed";
    readonly reason: Reason | null;
    readonly result: string | null;
  };
  /** Set if the next prompts would fail with the same error. Pauses the session, at most until `retryAt` (L4). */
  readonly hold: { readonly retryAt: number | null } | null;
}

export interface TakeoverCommand {
  readonly type: "lane.takeover";
  readonly owner: string;
  readonly generation: string | null;
  readonly without?: readonly string[];
  readonly recovery: "resume" | "hold" | "settle";
}

export type CommandData =
  | {
      readonly type: "session.create";
      readonly contentHash: string;
      readonly directory: string;
      readonly parent: SessionParent | null;
      readonly budget: Budget | null;
      /** Action when the budget is used up. Default: the run fails. */
      readonly onBudget?: OnBudget;
      /** Agent of the session. Null or missing: the default agent of its directory. */
      readonly agent?: string | null;
      readonly origin: SessionOrigin | null;
    }
  /** `auto`: a program proposes the title. An existing title is kept. */
  | { readonly type: "session.rename"; readonly title: string; readonly auto: boolean }
  | ({ readonly type: "session.archive"; readonly archived: boolean } & AsOf)
  | { readonly type: "session.setMode"; readonly mode: SessionMode }
  /** `agent: null` resets the session to the default agent of its directory. */
  | { readonly type: "session.setAgent"; readonly agent: string | null }
  | ({ readonly type: "session.delete" } & AsOf)
  | AcceptCommand
  | {
      readonly type: "prompt.edit";
      readonly promptId: string;
      readonly revision: number;
      readonly body: string;
      readonly bytes: number;
      readonly maxBytes: number;
      /** Directories that the person who edits the prompt is limited to; omitted: no limit. */
      readonly directories?: Directories;
    }
  /** `before: null` moves the prompt to the end of the queue. */
  | { readonly type: "prompt.move"; readonly promptId: string; readonly before: string | null }
  | { readonly type: "prompt.promote"; readonly promptId: string }
  /** Passes a parent's cancel on to its child's prompt, whether or not the prompt has arrived (C7). */
  | {
      readonly type: "prompt.tombstone";
      readonly promptId: string;
      readonly parent: ParentLink;
      /** `stop`: like a cancel. `enforce`: end the prompt's run at once. `absent`: act only if the prompt has not arrived. */
      readonly reach: TombstoneReach;
      /** True: also cancel all child prompts, at every level. Their outcomes start no new run in the parent session. */
      readonly tree: boolean;
    }
  | {
      readonly type: "cancel";
      readonly cancelId: string;
      readonly scope: CancelScope;
      /** Reason to record in the outcome; null: the usual reason, such as `sessionCancel` for a whole session. */
      readonly reason: "force" | null;
    }
  | {
      readonly type: "run.start";
      readonly runId: string;
      readonly owner: string;
      readonly generation: string | null;
      /** Resources that are not available in this run, such as a slow MCP server; omitted if there are none. */
      readonly without?: readonly string[];
      readonly maxSteps: number;
      readonly stopGrace: number;
      readonly budget: Budget | null;
      /** Action when the directory's budget is used up, for a prompt without its own budget. Default: the run fails. */
      readonly onBudget?: OnBudget;
      /** How long a request for a higher limit stays open; omitted or null: forever. */
      readonly askTime?: number | null;
      /** Spending caps that apply to the run; omitted: none. */
      readonly caps?: Caps;
      /** True: the same commit also opens the first step, for an agent whose run begins with a model call. */
      readonly opensStep: boolean;
    }
  | { readonly type: "run.handOver"; readonly handle: RunHandle }
  | {
      readonly type: "run.boundary";
      readonly handle: RunHandle;
      readonly caps?: Caps;
      /** Id of the active tool call during which a hosted agent works. If set, only prompts in `takes` join the run. */
      readonly within?: string;
      /** Prompts sent into the active run that the hosted agent has received during the call (H6). Needs `within`. */
      readonly takes?: readonly string[];
    }
  | RunEndCommand
  | {
      readonly type: "step.answer";
      readonly handle: RunHandle;
      readonly body: string;
      readonly calls: readonly AnsweredCall[];
      readonly usage: Usage;
      /** Caps that the usage is charged to; omitted: none. */
      readonly caps?: Caps;
      readonly interrupted: boolean;
      /** Id of the tool call in which a hosted agent gave this answer. Opens a step if none is open (H1). */
      readonly within?: string;
      /** Starts a call of this answer in the same commit, as if a `tool.start` command followed. */
      readonly starts?: { readonly callId: string; readonly body: string | null };
      /** Also ends this tool call, in the commit that records the answer, as if a `tool.end` command followed. */
      readonly ends?: {
        readonly callId: string;
        readonly status: ToolStatus;
        readonly body: string | null;
      };
      /** Set on the final answer: the run completes with it, as if a `run.end` command followed. */
      readonly completes: { readonly result: string | null } | null;
    }
  | {
      readonly type: "tool.start";
      readonly handle: RunHandle;
      readonly callId: string;
      /**
       * Description of the planned action: shown to people if it is unknown whether the action took effect, and used
       * to undo it.
       */
      readonly body: string | null;
    }
  | {
      readonly type: "tool.end";
      readonly handle: RunHandle;
      readonly callId: string;
      /** `inDoubt` is allowed only for a call that may have acted, such as a call of a hosted agent whose process died. */
      readonly status: ToolStatus;
      readonly body: string | null;
    }
  | {
      readonly type: "ask.open";
      readonly handle: RunHandle;
      readonly askId: string;
      /** The tool call that needs permission: it can start only after the answer. Null: the ask is not about a call. */
      readonly callId: string | null;
      /** The active call that waits for the answer. The ask is withdrawn when the call ends. */
      readonly within?: string;
      readonly body: string;
      readonly expiresAt: number | null;
    }
  | {
      readonly type: "ask.answer";
      readonly askId: string;
      readonly verdict: "allow" | "deny";
      readonly body: string | null;
      /** Amount to add to the budget's limit; omitted or null: the amount that the request proposes. */
      readonly raise?: Budget | null;
      /** Directories that the answering user is limited to; omitted: no limit. */
      readonly directories?: Directories;
    }
  /**
   * Asks people for a higher limit of an account that is used up. The request is shown in the session of one run: of
   * the waiting run `runId` or, if `runId` is null, of the active run in the session that the budget was set on.
   */
  | {
      readonly type: "account.ask";
      readonly accountId: string;
      readonly runId: string | null;
    }
  /** Tells a waiting run that the request for a higher limit is closed: the run checks its budgets again. */
  | {
      readonly type: "account.wake";
      readonly accountId: string;
      readonly runId: string;
      /** True if a person answered the budget request. This also ends the run's pauses after an interruption (R1). */
      readonly answered: boolean;
    }
  | {
      readonly type: "child.link";
      readonly handle: RunHandle;
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly background: boolean;
      readonly callId: string | null;
      /** Creates the child session in the same transaction if it does not exist. */
      readonly create: { readonly contentHash: string; readonly directory: string } | null;
    }
  /** Reports to the parent session that a child's prompt has ended, or that the child refused the prompt. */
  | {
      readonly type: "child.settle";
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly outcome: Outcome;
      readonly usage: Usage;
      /** True if other prompts that this child prompt started, directly or indirectly, have not ended yet. */
      readonly branch?: true;
    }
  /** Tells the parent that the last live descendant of a settled child has ended. */
  | {
      readonly type: "branch.end";
      readonly childSessionId: string;
      readonly childPromptId: string;
    }
  | { readonly type: "hold.place"; readonly holdId: string; readonly reason: string }
  | {
      readonly type: "hold.release";
      /** `hold`: end one pause. `refresh`: end all pauses that failures caused, after a refresh of the directory. */
      readonly target:
        | { readonly kind: "hold"; readonly holdId: string }
        | { readonly kind: "refresh" };
    }
  /** `name`: the kind of exclusive operation. `body`: hash of its input. */
  | {
      readonly type: "work.queue";
      readonly workId: string;
      readonly name: string;
      readonly body: string | null;
    }
  | {
      readonly type: "work.start";
      readonly workId: string;
      readonly owner: string;
      readonly stopGrace: number;
    }
  | {
      readonly type: "work.end";
      readonly workId: string;
      readonly fence: number;
      /** Hash of the result of the operation. */
      readonly body: string | null;
    }
  | TakeoverCommand
  /** Handles everything that is due by now, such as expiries and deadlines. Any node may send it (P6, C5). */
  | { readonly type: "lane.tick" };

export type CommandType = CommandData["type"];
export type CommandOf<T extends CommandType> = CommandEnvelope & Extract<CommandData, { type: T }>;
