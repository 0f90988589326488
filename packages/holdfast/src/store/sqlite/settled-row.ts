import type { LedgerRow } from "../../kernel/ledger.ts";
import type { Outcome } from "../../kernel/state.ts";

type SettledRow = Extract<LedgerRow, { status: "settled" }>;

/**
 * Stored form of a settled prompt's row: an array without field names, half as long as JSON with names. The order of
 * the fields never changes.
 */
type Packed = readonly [
  promptId: string,
  acceptSeq: number,
  contentHash: string | null,
  body: string | null,
  revision: number,
  delivery: SettledRow["delivery"],
  reply: boolean,
  actor: SettledRow["actor"],
  acceptedAt: number,
  parent: SettledRow["parent"],
  resultOf: SettledRow["resultOf"],
  receipt: SettledRow["receipt"],
  settledAt: number,
  status: Outcome["status"],
  reason: Outcome["reason"],
  runId: string | null,
  result: string | null,
];

export function packSettled(row: SettledRow): string {
  const { outcome } = row;
  const packed: Packed = [
    row.promptId,
    row.acceptSeq,
    row.contentHash,
    row.body,
    row.revision,
    row.delivery,
    row.reply,
    row.actor,
    row.acceptedAt,
    row.parent,
    row.resultOf,
    row.receipt,
    row.settledAt,
    outcome.status,
    outcome.reason,
    outcome.runId,
    outcome.result,
  ];
  return JSON.stringify(packed);
}

/** Parses a stored row. Returns null if the row belongs to another prompt. */
export function unpackSettled(
  text: string,
  { sessionId, promptId }: { sessionId: string; promptId: string },
): SettledRow | null {
  const packed: Packed = JSON.parse(text);
  const [id, acceptSeq, contentHash, body, revision, delivery, reply, actor, acceptedAt, ...rest] =
    packed;
  const [parent, resultOf, receipt, settledAt, status, reason, runId, result] = rest;
  if (id !== promptId) return null;
  return {
    sessionId,
    promptId,
    acceptSeq,
    contentHash,
    body,
    revision,
    delivery,
    reply,
    actor,
    acceptedAt,
    parent,
    resultOf,
    receipt,
    status: "settled",
    runId,
    outcome: { status, reason, runId, result },
    settledAt,
  };
}
