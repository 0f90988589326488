import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { done, openLane } from "../lane-client.ts";
import type { LaneClient } from "../lane-client.ts";
import { processorTime } from "../../support/processor-time.ts";
import { databaseFile } from "./folder.ts";

test("accepting and settling cost the same after 100,000 events as after 10", async (context) => {
  const file = databaseFile(context);
  const made = await openSqliteStore({ file });
  for (const sessionId of ["short", "long"]) await openLane(made, sessionId).create();
  await made.close();
  lengthen(file, { sessionId: "short", events: 10 });
  lengthen(file, { sessionId: "long", events: 100_000 });
  const store = await openSqliteStore({ file });
  const [short, long] = [openLane(store, "short"), openLane(store, "long")];
  let ratio = Infinity;
  for (let round = 0; round < 5 && ratio > 1.5; round += 1) {
    const times: { short: number[]; long: number[] } = { short: [], long: [] };
    for (let number = 0; number < 40; number += 1) {
      times.short.push(await timeOf(short, `p${round}-${number}`));
      times.long.push(await timeOf(long, `p${round}-${number}`));
    }
    ratio = median(times.long) / median(times.short);
  }
  context.diagnostic(`long / short: ${ratio.toFixed(2)}`);
  assert.ok(ratio <= 1.5, `${ratio}`);
  await store.close();
});

test("scanning for work costs nothing for lanes that need none, and listing them costs little", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const lookups = async (): Promise<number> => {
    const times: number[] = [];
    for (let number = 0; number < 50; number += 1) {
      times.push(await processorTime(() => store.pending({ limit: 100 })));
    }
    return median(times);
  };
  await store.join({ nodeId: "node1", ttl: 60_000 });
  const busy = openLane(store, "busy");
  await busy.create();
  await busy.accept("p1");
  await busy.start("run1");
  const few = await lookups();
  await Promise.all(
    Array.from({ length: 10_000 }, (_, number) => openLane(store, `idle-${number}`).create()),
  );
  const many = await lookups();
  context.diagnostic(
    `pending among 1 lane ${few.toFixed(3)} ms, among 10,001 ${many.toFixed(3)} ms`,
  );
  assert.ok(many < Math.max(1, few * 3), `${many} ms`);

  const list = { limit: 50, after: null };
  const listings: number[] = [];
  for (let number = 0; number < 20; number += 1) {
    listings.push(
      await processorTime(async () => {
        const { sessions } = await store.listSessions(list);
        assert.equal(sessions.length, 50);
      }),
    );
  }
  context.diagnostic(`50 of 10,001 sessions listed in ${median(listings).toFixed(1)} ms`);
  // This takes less than 1 ms on an idle machine. Reading all sessions would take ten times as long.
  assert.ok(Math.min(...listings) < 5, `${Math.min(...listings)} ms`);

  // Sessions that do not match are skipped in steps, up to the last session.
  const directory = (await busy.state()).directory;
  const { sessions } = await store.listSessions({ ...list, search: "BUSY", directory });
  assert.deepEqual(
    sessions.map(({ state }) => state.sessionId),
    ["busy"],
  );
  await store.close();
});

/** All commands of a prompt: accept, start, one step, end. */
function timeOf(lane: LaneClient, promptId: string): Promise<number> {
  return processorTime(async () => {
    await lane.accept(promptId);
    await lane.start(`run-${promptId}`);
    await lane.boundary();
    await lane.answer();
    done(await lane.end());
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/** Gives a new session a long log of holds and releases. */
function lengthen(file: string, past: { sessionId: string; events: number }): void {
  const { sessionId, events } = past;
  const envelope = { sessionId, at: 1, actor: { kind: "client", id: "person" }, version: 1 };
  const hold = { kind: "person", holdId: "h", reason: "a break" };
  const database = new DatabaseSync(file);
  database
    .prepare(
      `WITH RECURSIVE past (seq) AS (SELECT 2 UNION ALL SELECT seq + 1 FROM past WHERE seq < ?2 + 1)
       INSERT INTO events (lane, seq, type, at, data)
       SELECT (SELECT lane FROM lanes WHERE session_id = ?1), seq,
              iif(seq % 2 = 0, 'hold.placed', 'hold.released'), 1,
              json_set(iif(seq % 2 = 0, ?3, ?4), '$.seq', seq)
       FROM past`,
    )
    .run(
      sessionId,
      events,
      JSON.stringify({ ...envelope, type: "hold.placed", hold }),
      JSON.stringify({ ...envelope, type: "hold.released", holdId: "h", cause: "person" }),
    );
  database.exec(
    `INSERT INTO log SELECT lane, seq, position FROM events WHERE true ON CONFLICT DO NOTHING;
     UPDATE lanes SET recent = '[]'`,
  );
  database
    .prepare(
      `UPDATE lanes SET seq = ?2 + 1, state = json_set(state, '$.seq', ?2 + 1) WHERE session_id = ?1`,
    )
    .run(sessionId, events);
  database.close();
}
