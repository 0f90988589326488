import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { audit } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

test("T2 a reader that is past the end of a restored backup gets a reset", async (context) => {
  const file = databaseFile(context);
  const before = await openSqliteStore({ file });
  done(await openLane(before, "s").create());
  await before.close();
  copyFileSync(file, `${file}-backup`);
  const after = await openSqliteStore({ file });
  done(await openLane(after, "s").accept("p1"));
  const { cursor } = await after.feed({ after: null, limit: 10 });
  await after.close();
  copyFileSync(`${file}-backup`, file);
  const restored = await openSqliteStore({ file });
  const page = await restored.feed({ after: cursor, limit: 10 });
  assert.equal(page.status, "reset");
  assert.deepEqual(await restored.feed({ after: page.cursor, limit: 10 }), {
    status: "events",
    events: [],
    cursors: [],
    cursor: page.cursor,
    more: false,
  });
  assert.deepEqual(await audit(restored), []);
  await restored.close();
});
