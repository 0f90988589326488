import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { createQueuedPrompts } from "../../../src/server/queued-prompts.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { StoreError } from "../../../src/store/store-error.ts";
import { openLane } from "../../store/lane-client.ts";
import { databaseFile } from "../../store/sqlite/folder.ts";

for (const failing of ["sessions", "lane"] as const) {
  test(`the number of waiting prompts is correct after a failed read of ${failing}`, async (t) => {
    const store = await openSqliteStore({ file: databaseFile(t) });
    t.after(() => store.close());
    const lane = openLane(store, "main");
    await lane.create();
    await lane.accept("first");
    let fails = failing === "sessions";
    const failOnce = (): void => {
      if (!fails) return;
      fails = false;
      throw new StoreError("storeUnavailable", "lost");
    };
    const listeners = new Set<(event: LaneEvent) => void>();
    const queued = createQueuedPrompts({
      runtime: {
        sessions: async (query) => {
          failOnce();
          return store.listSessions(query);
        },
        store: {
          ...store,
          lane: async (sessionId) => {
            failOnce();
            return store.lane(sessionId);
          },
        },
      },
      follower: {
        listen: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        close: async () => {},
      },
    });
    t.after(() => queued.close());

    if (failing === "lane") {
      assert.equal(await queued.count(), 1);
      await lane.accept("second");
      const [last] = (await lane.events()).slice(-1);
      assert(last !== undefined);
      for (const listener of listeners) listener(last);
      fails = true;
    }
    await assert.rejects(queued.count(), { code: "storeUnavailable" });
    assert.equal(await queued.count(), failing === "lane" ? 2 : 1);
  });
}
