import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { createMetrics } from "../../../src/server/metrics.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../../store/lane-client.ts";
import { databaseFile } from "../../store/sqlite/folder.ts";
import { openStreamFixture } from "./stream-fixture.ts";

test("the queue time of a prompt that returns to the queue excludes the time in the run", async (context) => {
  let now = Date.UTC(2030, 0, 1);
  const store = await openSqliteStore({ file: databaseFile(context), clock: () => now });
  context.after(() => store.close());
  const lane = openLane(store, "main");
  await store.join({ nodeId: "node", ttl: 60_000 });
  await lane.create();
  await lane.accept("first");
  now += 1_000;
  await lane.start("run1", { owner: "node" });
  await lane.accept("second", { delivery: "steer" });
  now += 2_000;
  await lane.boundary();
  await lane.cancel("cancel", { upTo: (await lane.row("first")).acceptSeq });
  now += 4_000;
  await lane.end();
  now += 3_000;
  await lane.start("run2", { owner: "node" });
  const events = await lane.events();
  const queueEvents = new Set(["run.started", "prompt.takenIn", "prompt.returned"]);
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => queueEvents.has(type)),
    ["run.started", "prompt.takenIn", "prompt.returned", "run.started"],
  );

  const { runtime } = await openStreamFixture(context);
  const listeners = new Set<(event: LaneEvent) => void>();
  const metrics = createMetrics({
    runtime: { ...runtime, store },
    follower: {
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: async () => {},
    },
    subscribers: () => ({ session: 0, all: 0 }),
    now: () => now,
    process: false,
    onError: (error) => {
      throw error;
    },
  });
  context.after(() => metrics.close());
  for (const event of events) for (const listener of listeners) listener(event);
  const lines = (await metrics.text()).split("\n");
  assert.deepEqual(
    lines.filter((line) => /^holdfast_prompt_queue_seconds_(?:sum|count) /.test(line)),
    // The waits are 1 s (first), 2 s until the second prompt joins a run, and 3 s after its return.
    ["holdfast_prompt_queue_seconds_sum 6", "holdfast_prompt_queue_seconds_count 3"],
  );
});
