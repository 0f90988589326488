import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/base/time.ts";
import type { Refusal } from "../../src/kernel/refusal.ts";
import { leavingLanes } from "../../src/runner/nodes/left-lanes.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { PendingQuery, StoreRequest } from "../../src/store/store.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

test("M7 L3 a lane whose start was refused because of its config version is left out of scans for a while", async (t) => {
  const store = await openSqliteStore({ file: join(scratchFolder(t, "left"), "holdfast.db") });
  t.after(() => store.close());
  const queries: PendingQuery[] = [];
  let code: "generation" | "idle" = "idle";
  const refusing = {
    ...store,
    pending: async (query: PendingQuery) => {
      queries.push(query);
      return store.pending(query);
    },
    execute: async () => {
      const refusal: Refusal = { code, parentRunId: "r", message: "" };
      return { status: "refused", refusal } as const;
    },
  };
  const leftBy = async (milliseconds: number): Promise<PendingQuery["left"]> => {
    const leaving = leavingLanes(refusing, { milliseconds, clock: systemClock });
    await leaving.execute(commandTo("moved"));
    code = "generation";
    await leaving.execute(commandTo("child"));
    code = "idle";
    await leaving.pending({ limit: 5 });
    return queries.at(-1)?.left;
  };
  assert.deepEqual(await leftBy(60_000), ["child"]);
  assert.deepEqual(await leftBy(0), []);
});

/** Any command will do: the store refuses all of them. */
function commandTo(sessionId: string): StoreRequest {
  const actor = { kind: "node", id: "n" } as const;
  return { command: { type: "lane.tick", sessionId, actor } };
}
