import assert from "node:assert/strict";
import { queryOnce } from "../support/postgres.ts";

/** An event type that the current release does not know. */
export const laterType: string = "session.noted";

/** Writes an event of a type that the current release does not know, as a newer release would. */
export async function noteInLog(url: string, sessionId: string): Promise<void> {
  const written = await queryOnce(
    url,
    `WITH lane AS (
      UPDATE holdfast.lanes
      SET seq = seq + 1, updated_at = holdfast.holdfast_now(),
        state = jsonb_set(state::jsonb, '{seq}', to_jsonb(seq + 1))::json
      WHERE session_id = $1 RETURNING *)
    INSERT INTO holdfast.events (session_id, seq, commit_id, type, at, event)
    SELECT $1, seq, gen_random_uuid(), '${laterType}', updated_at, json_build_object(
      'type', '${laterType}', 'sessionId', session_id, 'seq', seq, 'at', updated_at,
      'actor', json_build_object('kind', 'node', 'id', 'newer'), 'note', 'of a later release')
    FROM lane RETURNING seq`,
    [sessionId],
  );
  assert.equal(written.length, 1);
}
