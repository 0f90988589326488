import assert from "node:assert/strict";
import { queryOnce } from "../support/postgres.ts";

/** The type of an event that no program of today knows. */
export const laterType: string = "session.noted";

/** An event of a kind that no program of today knows, as one of a newer release would be. */
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
