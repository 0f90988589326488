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
  SessionParent,
  Usage,
} from "./state.ts";

/** Something asked of one lane. `at` is the store's clock, stamped inside its transaction. */
export type Command = CommandEnvelope & CommandData;

export interface CommandEnvelope {
  readonly sessionId: string;
  readonly actor: Actor;
  readonly at: number;
}

/** What a run's owner must show to write: what run.started or run.resumed gave it (L5). */
export interface RunHandle {
  readonly runId: string;
  readonly fence: number;
  readonly attempt: number;
}

/** What the owner of exclusive work must show to write: what work.started gave it. */
export interface WorkHandle {
  readonly workId: string;
  readonly fence: number;
}

export interface AcceptLimits {
  readonly maxQueue: number;
  readonly maxBytes: number;
  /** The process that takes the prompt is stopping and wants it sent elsewhere. */
  readonly draining: boolean;
}

export type TombstoneReach = "stop" | "enforce" | "absent";

export type CancelScope =
  /** Every unsettled prompt accepted before this point, or up to `upTo` (C1). */
  | { readonly kind: "session"; readonly upTo: number | null; readonly tree: boolean }
  | { readonly kind: "prompt"; readonly promptId: string }
  /** What waits; the active run is left alone. */
  | { readonly kind: "queue" }
  /** The active run and all it took in; what waits survives (M5). */
  | { readonly kind: "run"; readonly runId: string };

export interface AcceptCommand {
  readonly type: "prompt.accept";
  readonly promptId: string;
  /** Of the original text, attachments, delivery and options (P3). */
  readonly contentHash: string;
  readonly body: string | null;
  readonly bytes: number;
  readonly delivery: Delivery;
  readonly reply: boolean;
  readonly expectedRunId: string | null;
  readonly expiresAt: number | null;
  readonly maxRunTime: number | null;
  readonly budget: Budget | null;
  /** Left out: fail. */
  readonly onBudget?: OnBudget;
  /** The accounts of the run that sends it, or whose result it brings (P6). */
  readonly accounts?: readonly string[];
  readonly parent: ParentLink | null;
  /** Set only on the prompt that brings a background child's outcome back (C7). */
  readonly resultOf: ResultOf | null;
  /** The limit of whoever sends it; left out for none. */
  readonly directories?: Directories;
  /** Set only on a message of exclusive work about what it does: it enters at once (M8). */
  readonly work?: WorkHandle;
  readonly limits: AcceptLimits;
}

/** `asOf`: the log's end that somebody has looked at who wants it only if nothing has happened since. */
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
  /** The next prompt would fail alike: hold the lane, at the latest until `retryAt` (L4). */
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
      /** Left out: fail. */
      readonly onBudget?: OnBudget;
      readonly origin: SessionOrigin | null;
    }
  /** `auto`: a program's proposal, which leaves a title alone that is there. */
  | { readonly type: "session.rename"; readonly title: string; readonly auto: boolean }
  | ({ readonly type: "session.archive"; readonly archived: boolean } & AsOf)
  | ({ readonly type: "session.delete" } & AsOf)
  | AcceptCommand
  | {
      readonly type: "prompt.edit";
      readonly promptId: string;
      readonly revision: number;
      readonly body: string;
      readonly bytes: number;
      readonly maxBytes: number;
      /** The limit of whoever edits it; left out for none. */
      readonly directories?: Directories;
    }
  /** `before` null: to the end of the queue. */
  | { readonly type: "prompt.move"; readonly promptId: string; readonly before: string | null }
  | { readonly type: "prompt.promote"; readonly promptId: string }
  /** A parent's cancel reaching its child's prompt, arrived or not (C7). */
  | {
      readonly type: "prompt.tombstone";
      readonly promptId: string;
      readonly parent: ParentLink;
      /** stop: as a cancel does. enforce: at once. absent: only if it never arrived. */
      readonly reach: TombstoneReach;
      /** Also covers everything that descends from it, and nothing of that wakes anybody. */
      readonly tree: boolean;
    }
  | {
      readonly type: "cancel";
      readonly cancelId: string;
      readonly scope: CancelScope;
      /** Recorded as the covered prompts' reason instead of the scope's own. */
      readonly reason: "force" | null;
    }
  | {
      readonly type: "run.start";
      readonly runId: string;
      readonly owner: string;
      readonly generation: string | null;
      /** What the generation should have and has not; left out if nothing. */
      readonly without?: readonly string[];
      readonly maxSteps: number;
      readonly stopGrace: number;
      readonly budget: Budget | null;
      /** Of the directory's budget, for a prompt that has none of its own. Left out: fail. */
      readonly onBudget?: OnBudget;
      /** How long an ask for a higher limit stays open; left out or null: for ever. */
      readonly askTime?: number | null;
      /** Left out: none. */
      readonly caps?: Caps;
      /** Its first step opens with it, for an agent that asks its model first. */
      readonly opensStep: boolean;
    }
  | { readonly type: "run.handOver"; readonly handle: RunHandle }
  | { readonly type: "run.boundary"; readonly handle: RunHandle; readonly caps?: Caps }
  | RunEndCommand
  | {
      readonly type: "step.answer";
      readonly handle: RunHandle;
      readonly body: string;
      readonly calls: readonly AnsweredCall[];
      readonly usage: Usage;
      /** What the usage counts against; left out: none. */
      readonly caps?: Caps;
      readonly interrupted: boolean;
      /** The agent's last word: the run completes with it, as by a `run.end` right behind it. */
      readonly completes: { readonly result: string | null } | null;
    }
  | {
      readonly type: "tool.start";
      readonly handle: RunHandle;
      readonly callId: string;
      /** What it is about to do: for people when it stays in doubt, and to undo it. */
      readonly body: string | null;
    }
  | {
      readonly type: "tool.end";
      readonly handle: RunHandle;
      readonly callId: string;
      readonly status: Exclude<ToolStatus, "inDoubt">;
      readonly body: string | null;
    }
  | {
      readonly type: "ask.open";
      readonly handle: RunHandle;
      readonly askId: string;
      readonly callId: string | null;
      readonly body: string;
      readonly expiresAt: number | null;
    }
  | {
      readonly type: "ask.answer";
      readonly askId: string;
      readonly verdict: "allow" | "deny";
      readonly body: string | null;
      /** Added to the limit of a budget's ask; left out or null: the amount that the ask names. */
      readonly raise?: Budget | null;
      /** The limit of whoever answers; left out for none. */
      readonly directories?: Directories;
    }
  /** Opens the ask of a spent account: on the run that carries it (null), or on one that waits. */
  | {
      readonly type: "account.ask";
      readonly accountId: string;
      readonly runId: string | null;
    }
  /** The ask was closed: the run looks at its accounts again. */
  | {
      readonly type: "account.wake";
      readonly accountId: string;
      readonly runId: string;
      /** A person closed it, so no recovery hold keeps the run (R1). */
      readonly answered: boolean;
    }
  | {
      readonly type: "child.link";
      readonly handle: RunHandle;
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly background: boolean;
      readonly callId: string | null;
      /** Makes the child session in the same transaction when it does not exist yet. */
      readonly create: { readonly contentHash: string; readonly directory: string } | null;
    }
  /** Sent by a child's settling transaction, or by the owner whose child prompt was refused. */
  | {
      readonly type: "child.settle";
      readonly childSessionId: string;
      readonly childPromptId: string;
      readonly outcome: Outcome;
      readonly usage: Usage;
      /** It still has live descendants. */
      readonly branch?: true;
    }
  /** Sent by a settled child's lane when its last live descendant has ended. */
  | {
      readonly type: "branch.end";
      readonly childSessionId: string;
      readonly childPromptId: string;
    }
  | { readonly type: "hold.place"; readonly holdId: string; readonly reason: string }
  | {
      readonly type: "hold.release";
      /** One hold by its id, or, after a refresh of the directory, every failure hold. */
      readonly target:
        | { readonly kind: "hold"; readonly holdId: string }
        | { readonly kind: "refresh" };
    }
  /** `name` says to whoever claims the lane what is to be done, `body` with what. */
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
      /** What came of it. */
      readonly body: string | null;
    }
  | TakeoverCommand
  /** Time has passed: everything that is due by now happens, whoever notices (P6, C5). */
  | { readonly type: "lane.tick" };

export type CommandType = CommandData["type"];
export type CommandOf<T extends CommandType> = CommandEnvelope & Extract<CommandData, { type: T }>;
