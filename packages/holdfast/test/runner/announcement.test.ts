import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { announceNode, describeNode, nodeKind } from "../../src/runner/nodes/announcement.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

test("a node deletes records of nodes that are gone, but not of one that joins meanwhile", async (t) => {
  const store = await openSqliteStore({ file: join(scratchFolder(t, "nodes"), "holdfast.db") });
  t.after(() => store.close());
  const putRecord = (id: string) =>
    store.putRecord({ kind: nodeKind, id, value: {}, version: null });
  await putRecord("gone");
  await store.join({ nodeId: "here", ttl: 60_000 });
  let removed = 0;
  let hasJoined = false;
  const joinLate = async (): Promise<void> => {
    if (hasJoined) return;
    hasJoined = true;
    await store.join({ nodeId: "late", ttl: 60_000 });
    await putRecord("late");
  };
  // Another node joins between the two reads, in either order.
  const busy: Store = {
    ...store,
    nodes: async () => {
      const nodes = await store.nodes();
      await joinLate();
      return nodes;
    },
    records: async (kind, page) => {
      const records = await store.records(kind, page);
      await joinLate();
      return records;
    },
    removeRecord: async (key) => {
      const isRemoved = await store.removeRecord(key);
      removed += 1;
      return isRemoved;
    },
  };
  const clock = createHandClock();
  const announcement = announceNode({
    store: busy,
    nodeId: () => "here",
    about: describeNode({ maxRuns: 1, clock, absent: () => [] }),
    clock,
    onError: (error) => assert.fail(String(error)),
  });
  await clock.move(0);
  await waitFor(() => removed > 0, { describe: "the deletion of a record" });
  // The next look begins when the deletions have ended.
  await waitFor(() => clock.pending() === 1, { describe: "the next look" });
  const records = await store.records(nodeKind, { after: null, limit: 10 });
  assert.deepEqual(
    records.map(({ id }) => id),
    ["here", "late"],
  );
  await announcement.withdraw();
});
