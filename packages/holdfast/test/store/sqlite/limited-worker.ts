import assert from "node:assert/strict";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { audit } from "../audit.ts";
import { openLane } from "../lane-client.ts";

// A process whose files may not grow past a limit: sooner or later a COMMIT fails.

const [, , file = ""] = process.argv;
const store = await openSqliteStore({ file });
const lane = openLane(store, "s");
await lane.create();
const limits = { maxQueue: 1000, maxBytes: 1_000_000, draining: false };
const acknowledged: string[] = [];
for (let round = 0; ; round += 1) {
  const before = await store.lane("s");
  const ids = Array.from({ length: 8 }, (_, number) => `p${round}-${number}`);
  const results = await Promise.allSettled(
    ids.map((id) => lane.accept(id, { text: id.repeat(1000), limits })),
  );
  const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (failed.length === 0) {
    acknowledged.push(...ids);
    continue;
  }
  // All requests are in one commit, so all of them fail, and the state is that of the last successful commit.
  assert.deepEqual(await store.lane("s"), before);
  assert.deepEqual(await audit(store), []);
  const codes = failed.map((error) => error.code);
  console.log(JSON.stringify({ acknowledged, codes }));
  break;
}
process.exit(0);
