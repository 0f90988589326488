import assert from "node:assert/strict";
import { test } from "node:test";
import { timelineViews } from "../../src/runtime/views/timeline.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../store/lane-client.ts";
import type { LaneClient } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";

test("the events of a session in the timeline reach back to the accept of its unfinished prompt", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  const firstEvent = async (sessionId: string, after: number): Promise<number> => {
    const lane = openLane(store, sessionId);
    await lane.create();
    await lane.accept("waits");
    await rename(lane, after);
    const { sessions } = await timelineViews(store).timeline({ latest: 0, directories: null });
    const found = sessions.find(({ summary }) => summary.state.sessionId === sessionId);
    const seqs = found?.events.map(({ seq }) => seq) ?? [];
    assert.deepEqual([seqs.at(-1), seqs.length], [after + 2, after + 3 - (seqs[0] ?? 0)]);
    return seqs[0] ?? 0;
  };
  assert.equal(await firstEvent("short", 10), 1);
  assert.equal(await firstEvent("long", 300), 2, "the accept");
  assert.equal(await firstEvent("too-long", 800), 683, "the latest 120 events");
});

async function rename(lane: LaneClient, times: number): Promise<void> {
  const titles = Array.from({ length: times }, (_, index) => `title ${index}`);
  await Promise.all(
    titles.map((title) => lane.send({ type: "session.rename", title, auto: false })),
  );
}
