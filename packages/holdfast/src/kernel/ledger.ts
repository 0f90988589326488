import type {
  Actor,
  AskResolution,
  BudgetAsk,
  Delivery,
  LaneEvent,
  Receipt,
  ResultOf,
  WorkEnd,
} from "./event.ts";
import type { Outcome, ParentLink } from "./state.ts";

// Rows for prompts, asks and exclusive operations. They outlive a lane's state and are derived from the log. Only this
// file derives them, so that all stores agree.

/** A prompt's row in the ledger (P4). It stays even if the session is compacted or deleted. */
export type LedgerRow = LedgerBase & LedgerStatus;

export interface LedgerBase {
  readonly sessionId: string;
  readonly promptId: string;
  readonly acceptSeq: number;
  /** Null if the prompt was cancelled before it arrived: there is no content. */
  readonly contentHash: string | null;
  readonly body: string | null;
  readonly revision: number;
  readonly delivery: Delivery;
  readonly reply: boolean;
  readonly actor: Actor;
  readonly acceptedAt: number;
  readonly parent: ParentLink | null;
  readonly resultOf: ResultOf | null;
  /** Receipt of what an interrupting prompt cancelled (L2). */
  readonly receipt: Receipt | null;
}

export type LedgerStatus =
  | {
      readonly status: "queued";
      readonly runId: null;
      readonly outcome: null;
      readonly settledAt: null;
    }
  | {
      readonly status: "running";
      readonly runId: string;
      readonly outcome: null;
      readonly settledAt: null;
    }
  | {
      readonly status: "settled";
      readonly runId: string | null;
      readonly outcome: Outcome;
      readonly settledAt: number;
    };

export interface AskRow {
  readonly sessionId: string;
  readonly askId: string;
  readonly runId: string;
  readonly callId: string | null;
  readonly body: string | null;
  /** Set on a request for a higher limit. */
  readonly budget?: BudgetAsk;
  readonly openedAt: number;
  readonly expiresAt: number | null;
  readonly closed: {
    readonly resolution: AskResolution;
    readonly actor: Actor;
    readonly at: number;
  } | null;
}

/** An exclusive operation: its input, its owner and its result. */
export interface WorkRow {
  readonly sessionId: string;
  readonly workId: string;
  readonly name: string;
  readonly body: string | null;
  readonly actor: Actor;
  readonly queuedAt: number;
  readonly started: { readonly owner: string; readonly at: number } | null;
  readonly ended: {
    readonly cause: WorkEnd;
    readonly body: string | null;
    readonly at: number;
  } | null;
}

/** Change of a row by an event. `row`: the whole row, if the event creates it. `patch`: the fields that it sets. */
export interface RowChange<Row> {
  readonly id: string;
  readonly row: Row | null;
  readonly patch: Partial<Row>;
}

export function ledgerChange(event: LaneEvent): RowChange<LedgerRow> | null {
  if (event.type === "prompt.accepted") return created(event.promptId, acceptedRow(event));
  if (event.type === "prompt.tombstoned") return created(event.promptId, tombstoneRow(event));
  if (event.type === "prompt.edited") {
    return changed(event.promptId, { body: event.body, revision: event.revision });
  }
  if (event.type === "run.started" || event.type === "prompt.takenIn") {
    const { runId } = event;
    return runId === null ? null : changed(event.promptId, { status: "running", runId });
  }
  if (event.type === "prompt.returned") {
    return changed(event.promptId, { status: "queued", runId: null });
  }
  if (event.type === "prompt.settled") {
    const { outcome, at } = event;
    const { runId } = outcome;
    return changed(event.promptId, { status: "settled", runId, outcome, settledAt: at });
  }
  if (event.type === "cancel.committed" && event.promptId !== null) {
    return changed(event.promptId, { receipt: event.receipt });
  }
  return null;
}

export function askChange(event: LaneEvent): RowChange<AskRow> | null {
  if (event.type === "ask.opened") {
    const { sessionId, askId, runId, callId, body, budget, at, expiresAt } = event;
    return created(askId, {
      sessionId,
      askId,
      runId,
      callId,
      body,
      ...(budget === undefined ? {} : { budget }),
      openedAt: at,
      expiresAt,
      closed: null,
    });
  }
  if (event.type === "ask.closed") {
    const { resolution, actor, at } = event;
    return changed(event.askId, { closed: { resolution, actor, at } });
  }
  return null;
}

export function workChange(event: LaneEvent): RowChange<WorkRow> | null {
  if (event.type === "work.queued") {
    const { sessionId, workId, name, body, actor, at } = event;
    const row = { sessionId, workId, name, body, actor, queuedAt: at, started: null, ended: null };
    return created(workId, row);
  }
  if (event.type === "work.started") {
    const { workId, owner, at } = event;
    return changed(workId, { started: { owner, at } });
  }
  if (event.type === "work.ended") {
    const { workId, cause, body, at } = event;
    return changed(workId, { ended: { cause, body, at } });
  }
  return null;
}

/** Applies the changes to the row with this id and ignores changes to other rows. */
export function foldRow<Row>(
  row: Row | null,
  id: string | null,
  changes: readonly (RowChange<Row> | null)[],
): Row | null {
  let folded = row;
  for (const change of changes) {
    if (change !== null && change.id === id) folded = changedRow(folded, change);
  }
  return folded;
}

export function changedRow<Row>(row: Row | null, change: RowChange<Row>): Row | null {
  return row === null ? change.row : { ...row, ...change.patch };
}

function created<Row>(id: string, row: Row): RowChange<Row> {
  return { id, row, patch: row };
}

function changed<Patch>(id: string, patch: Patch): { id: string; row: null; patch: Patch } {
  return { id, row: null, patch };
}

function acceptedRow(event: Extract<LaneEvent, { type: "prompt.accepted" }>): LedgerRow {
  return {
    sessionId: event.sessionId,
    promptId: event.promptId,
    acceptSeq: event.seq,
    contentHash: event.contentHash,
    body: event.body,
    revision: 1,
    delivery: event.delivery,
    reply: event.reply,
    actor: event.actor,
    acceptedAt: event.at,
    parent: event.parent,
    resultOf: event.resultOf,
    receipt: null,
    status: "queued",
    runId: null,
    outcome: null,
    settledAt: null,
  };
}

function tombstoneRow(event: Extract<LaneEvent, { type: "prompt.tombstoned" }>): LedgerRow {
  return {
    sessionId: event.sessionId,
    promptId: event.promptId,
    acceptSeq: event.seq,
    contentHash: null,
    body: null,
    revision: 0,
    delivery: "queue",
    reply: true,
    actor: event.actor,
    acceptedAt: event.at,
    parent: null,
    resultOf: null,
    receipt: null,
    status: "settled",
    runId: null,
    outcome: event.outcome,
    settledAt: event.at,
  };
}
