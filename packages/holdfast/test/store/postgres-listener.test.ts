import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { waitFor } from "../support/wait-for.ts";
import { audit } from "./audit.ts";
import { openLane } from "./lane-client.ts";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test("P1 P3 a listener that throws rejects and repeats no committed request, and others get the signals", async (t) => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const other = await openPostgresStore({ url });
  t.after(() => Promise.all([store.close(), other.close()]));
  const lane = openLane(store, "s");
  await lane.create();
  let heard = 0;
  other.watch((signal) => {
    if (signal.kind === "lane") heard = Math.max(heard, signal.seq);
  });
  const bug = new TypeError("a bug in a listener");
  store.watch((signal) => {
    if (signal.kind === "lane") throw bug;
  });
  const uncaught: unknown[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
  t.after(() => process.setUncaughtExceptionCaptureCallback(null));

  const alone = await lane.accept("p1");
  const together = await Promise.all([lane.accept("p2"), lane.accept("p3")]);

  const events = [alone, ...together].map((answer) =>
    answer.status === "done" ? answer.events.map(({ type }) => type) : answer.status,
  );
  assert.deepEqual(events, [["prompt.accepted"], ["prompt.accepted"], ["prompt.accepted"]]);
  // One error for each of the two commits.
  assert.deepEqual(uncaught, [bug, bug]);
  const { seq } = await lane.state();
  await waitFor(() => heard === seq, { describe: "the signal in the other process" });
  assert.deepEqual(await audit(store), []);
});
