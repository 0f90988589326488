import { randomUUID } from "node:crypto";
import { attention } from "../../kernel/attention.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { anyIdleLane, isDecidedAnywhere, isPlainPrompt } from "../../kernel/idle-lane.ts";
import { ledgerChange } from "../../kernel/ledger.ts";
import { packState, unpackState } from "../../kernel/packed.ts";
import type { PackedState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import { loadedAccounts, openBatch } from "../../kernel/transaction.ts";
import type { LaneBatch, Load, Loaded } from "../../kernel/transaction.ts";
import { subjectOf } from "../../kernel/event-table.ts";
import type { Body } from "../store.ts";
import type { Attempt, Context } from "./attempt.ts";
import type { Queryable, Statement } from "./connection.ts";
import { CommitInDoubt } from "./doubt.ts";
import type { Happened } from "./doubt.ts";
import { isConnectionLost, isKnownPrompt } from "./errors.ts";
import { bodiesOf, decideGroup, loadedFrom } from "./group.ts";
import type { Group, Outcome } from "./group.ts";
import { toJsonb } from "./json.ts";
import { noRows, readLane, storable } from "./lane-read.ts";

/** What the lane is where nothing was written: null where there is none, or where nothing was tried. */
interface Found {
  readonly status: "found";
  readonly state: LaneState | null;
}

/**
 * Accepts a prompt into a lane that this process does not know, in one exchange: decided on any idle lane,
 * and written only if this is one. Otherwise the same exchange tells what it is.
 */
export async function acceptAsIdle(context: Context, group: Group): Promise<Attempt | Found> {
  const { sessionId } = group;
  const isPlain = group.requests.every(
    ({ command }) => command.type === "prompt.accept" && isDecidedAnywhere(command),
  );
  if (!isPlain) return { status: "found", state: null };
  const at = await context.clock.now(context.database);
  const { outcomes, lane } = await decideOn(anyIdleLane(sessionId), { group, at });
  const accept = acceptOf(lane, bodiesOf(group, outcomes));
  if (accept === null) return { status: "found", state: null };
  const commitId = randomUUID();
  const statement = statementOf(accept, { sessionId: storable(sessionId), commitId });
  let row: { state: PackedState; is_written: boolean } | undefined;
  try {
    ({
      rows: [row],
    } = await context.database.query<NonNullable<typeof row>>(statement));
  } catch (error) {
    if (isKnownPrompt(error)) return { status: "unread" };
    if (!isConnectionLost(error)) throw error;
    const find = (connection: Queryable): Promise<Happened | null> =>
      findAccept(connection, { group, at, event: accept.event, commitId });
    throw new CommitInDoubt({ sessionId, find }, error);
  }
  if (row === undefined) return { status: "found", state: null };
  const state = unpackState(row.state);
  if (!row.is_written) return { status: "found", state };
  return { status: "written", ...(await happened({ group, at, seq: state.seq, state })) };
}

async function decideOn(
  state: LaneState,
  { group, at }: { group: Group; at: number },
): Promise<{ outcomes: readonly Outcome[]; lane: LaneBatch | undefined }> {
  const batch = openBatch();
  const rows = { ...noRows, now: at, state };
  // An accept in an idle lane reads no account.
  const load = (wanted: Load): Loaded =>
    "accountIds" in wanted ? loadedAccounts([]) : loadedFrom(rows, wanted);
  const outcomes = await decideGroup(group, { batch, at, load });
  return { outcomes, lane: batch.lanes.size === 1 ? batch.lanes.get(state.sessionId) : undefined };
}

/** The same decision, now that it is known where the log ended, and what the lane is. */
async function happened(written: {
  group: Group;
  at: number;
  seq: number;
  state: LaneState;
}): Promise<Happened> {
  const { group, at, seq, state } = written;
  const before = { ...anyIdleLane(group.sessionId), seq: seq - 1 };
  const { outcomes } = await decideOn(before, { group, at });
  return { outcomes: outcomes.map((outcome) => inLane(outcome, state)), lanes: [{ state, at }] };
}

function inLane(outcome: Outcome, state: LaneState): Outcome {
  if (outcome.status === "failed" || outcome.answer.status === "refused") return outcome;
  return { ...outcome, answer: { ...outcome.answer, state } };
}

/** The lane may have moved on since: then it is told as it is by now. */
async function findAccept(
  connection: Queryable,
  commit: { group: Group; at: number; event: LaneEvent; commitId: string },
): Promise<Happened | null> {
  const { group, at, event, commitId } = commit;
  const { sessionId } = group;
  const { rows } = await connection.query<{ seq: number }>({
    name: "find-accept",
    text: `SELECT seq FROM events
      WHERE session_id = $1 AND subject = $2 AND type = $3 AND commit_id = $4`,
    values: [sessionId, subjectOf(event), event.type, commitId],
  });
  const names = { promptIds: [], cancelIds: [], askIds: [], workIds: [] };
  const { state } = await readLane(connection, { sessionId, names, known: null });
  const [found] = rows;
  if (found === undefined || state === null) return null;
  return happened({ group, at, seq: found.seq, state });
}

interface Accept {
  readonly state: LaneState;
  readonly event: LaneEvent;
  readonly body: Body;
}

/** Null where more is to be written than one plain prompt and its text. */
function acceptOf(lane: LaneBatch | undefined, bodies: readonly Body[]): Accept | null {
  const [event] = lane?.events ?? [];
  const [body] = bodies;
  const state = lane?.state ?? null;
  if (event === undefined || body === undefined || state === null) return null;
  const isOnlyThis = lane?.events.length === 1 && lane.receipts.length === 0 && bodies.length === 1;
  return isOnlyThis && isPlainPrompt(event) ? { state, event, body } : null;
}

/**
 * Of what is written, only the seq is not known: the texts come without it, and it is put in where they are
 * written. In a lane's packed state it stands behind the first fields, which are strings.
 */
function statementOf(
  { state, event, body }: Accept,
  { sessionId, commitId }: { sessionId: string; commitId: string },
): Statement {
  const { seq: _unknown, ...withoutSeq } = event;
  const change = ledgerChange(event);
  const [waiting] = packState(state).queue ?? [];
  const { ready, dueAt } = attention(state);
  return {
    name: "write-lane-as-idle",
    text,
    values: [
      sessionId,
      commitId,
      event.type,
      subjectOf(event),
      event.at,
      JSON.stringify(withoutSeq),
      change?.id,
      toJsonb(withoutAcceptSeq(change?.row ?? {})),
      JSON.stringify(withoutAcceptSeq(waiting ?? {})),
      ready,
      dueAt,
      body.hash,
      Buffer.from(body.content),
    ],
  };
}

function withoutAcceptSeq(fields: { readonly acceptSeq?: number }): object {
  const { acceptSeq: _unknown, ...rest } = fields;
  return rest;
}

/** The text of a JSON object with one field more, a number. */
const withField = (object: string, field: string, value: string): string =>
  `(left(${object}, -1) || ',"${field}":' || ${value} || '}')`;

const next = "(lanes.seq + 1)";

const text = `
  WITH lane AS (
    UPDATE lanes SET seq = ${next}, updated_at = $5::bigint,
      ready = $10::text, ready_at = CASE WHEN $10::text IS NOT NULL THEN holdfast_now() END,
      due_at = $11::bigint,
      state = (left(regexp_replace(lanes.state::text, '"seq":[0-9]+', '"seq":' || ${next}), -1)
        || ',"queue":[' || ${withField("$9::text", "acceptSeq", next)} || ']}')::json
    WHERE session_id = $1::text AND idle_seq = seq
    RETURNING session_id, seq, state),
  new_event AS (
    INSERT INTO events (session_id, commit_id, seq, type, subject, at, event)
    SELECT session_id, $2::uuid, seq, $3::text, $4::text, $5::bigint,
      ${withField("$6::text", "seq", "seq")}::json
    FROM lane),
  new_prompt AS (
    INSERT INTO prompts (session_id, prompt_id, accept_seq, entry)
    SELECT session_id, $7::text, seq, ${withField("$8::text", "acceptSeq", "seq")}::jsonb FROM lane),
  new_body AS (
    INSERT INTO bodies (hash, content) SELECT $12::text, $13::bytea FROM lane
    ON CONFLICT (hash) DO NOTHING)
  SELECT lane.seq IS NOT NULL AS is_written, coalesce(lane.state, before.state) AS state
  FROM lanes AS before LEFT JOIN lane USING (session_id)
  WHERE before.session_id = $1::text`;
