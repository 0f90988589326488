import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { exportPieces } from "../../src/runtime/copies/export.ts";
import { wireEvent } from "../../src/server/wire/event.ts";
import { examine } from "../../src/store/doctor/doctor.ts";
import { openPostgresPlace } from "../runner/support/place.ts";
import { readLog } from "../store/lane-client.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { laterType, noteInLog } from "./later-event.ts";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test("T2 an older node passes on events and messages of a newer node, and continues its work", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { url, runtimes: 1 });
  const { holdfast } = place.first;
  const { store } = holdfast;
  const run = await place.openRun("p1");
  await noteInLog(url, "main");
  for (const prefix of ["holdfast", "holdfast_messages"]) {
    const schema = createHash("sha256").update("holdfast").digest("hex").slice(0, 16);
    const said = 'newer/0 {"version":2,"words":"of a later release"}';
    await queryOnce(url, "SELECT pg_notify($1, $2)", [`${prefix}_${schema}`, said]);
  }
  const about = { host: "far", pid: 1, version: "99.0.0", startedAt: 1, maxRuns: 2, absent: [] };
  await store.join({ nodeId: "newer", ttl: 60_000 });
  const value = { ...about, colour: "green" };
  await store.putRecord({ kind: "node", id: "newer", value, version: null });
  const { nodes } = await holdfast.nodes();
  assert.deepEqual(nodes.find(({ nodeId }) => nodeId === "newer")?.about, about);
  await store.leave("newer");
  await run.finish("one");
  await noteInLog(url, "main");
  const second = await place.openRun("p2");
  await second.finish("two");
  assert.equal(await place.outcome("p2"), "completed");

  const log = await readLog(store, "main");
  const noted = log.filter(({ type }) => type === laterType);
  assert.deepEqual(
    noted.map(({ seq }) => log[seq - 1]),
    noted,
  );
  const [event] = noted;
  assert(noted.length === 2 && event !== undefined);
  assert.deepEqual(await wireEvent(store, event), {
    ...event,
    content: null,
    truncated: false,
  });
  const page = await holdfast.messages({ sessionId: "main", after: null, limit: 10 });
  assert.deepEqual(
    page?.messages.map(({ role }) => role),
    ["user", "assistant", "user", "assistant"],
  );
  let document = "";
  for await (const piece of exportPieces(store, "main")) document += piece;
  const { events }: { events: unknown[] } = JSON.parse(document);
  assert.deepEqual(events, log);
  await holdfast.forkSession({ sessionId: "main", newSessionId: "fork" });
  assert.deepEqual((await examine(store)).violations, []);
});
