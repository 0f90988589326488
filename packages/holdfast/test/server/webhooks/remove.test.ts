import assert from "node:assert/strict";
import { test } from "node:test";
import { away } from "../../runner/support/tampered-store.ts";
import { readProgress } from "../../../src/server/outbox/progress.ts";
import {
  addWebhook,
  progressKind,
  readWebhook,
  removeWebhook,
} from "../../../src/server/webhooks/webhook-record.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { databaseFile } from "../../store/sqlite/folder.ts";

const id = "hook";
const webhook = {
  webhookId: id,
  url: "https://example.com/hook",
  events: ["prompt.settled" as const],
  sessionId: null,
  directories: null,
  createdAt: 1,
  secret: "hfw_secret",
};

test("a removal that is cut off anywhere never leaves a position without its webhook", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  for (const removals of [0, 1, 2]) {
    await addWebhook(store, { webhook, cursor: "old" });
    let left = removals;
    const crashing: typeof store = {
      ...store,
      removeRecord: async (key) => {
        if (left === 0) throw away();
        left -= 1;
        return store.removeRecord(key);
      },
    };
    await assert.rejects(removeWebhook(crashing, id), away());
    const progress = await readProgress(store, { kind: progressKind, id });
    const hasWebhook = (await readWebhook(store, id)) !== null;
    assert.ok(hasWebhook || progress === null, `cut off after ${removals} records`);
    assert.equal(await removeWebhook(store, id), true, "it can be removed again");
  }
});
