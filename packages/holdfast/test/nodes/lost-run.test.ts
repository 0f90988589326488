import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openSqlitePlace } from "../runner/support/place.ts";
import { RunLost } from "../../src/agent/run-lost.ts";
import type { Committer } from "../../src/runner/committer.ts";
import { createLaneHub } from "../../src/log/lane-hub.ts";
import { watchLane } from "../../src/runner/lane-changes.ts";

test("L5 an agent's action after its run was lost fails without ending the process", async (t) => {
  const place = await openSqlitePlace(t);
  const lane = await place.first.store.lane("main");
  assert(lane !== null);
  const committer: Committer = {
    handle: { runId: "run1", fence: 1, attempt: 1 },
    lane: () => lane,
    run: () => assert.fail("nobody asks"),
    commit: () => assert.fail("nothing is written"),
    refresh: () => assert.fail("nothing is read"),
  };
  const controller = new AbortController();
  const changes = watchLane(createLaneHub(), { sessionId: "main", committer, controller });
  changes.lose(new RunLost("the lease has ended"));
  const next = Promise.withResolvers<void>();
  await assert.rejects(changes.unlessLost(next.promise), { name: "RunLost" });
  next.reject(new Error("the run is stopping"));
  // The test runner fails the test if a rejection is not handled.
  await setImmediate();
});
