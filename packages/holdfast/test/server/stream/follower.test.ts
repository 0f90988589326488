import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startFollower } from "../../../src/server/stream/follower.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { openLane } from "../../store/lane-client.ts";
import { databaseFile } from "../../store/sqlite/folder.ts";

async function openStore(t: TestContext): Promise<Store> {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  return store;
}

test("T2 events committed before the end and not read yet are delivered at the end, once each", async (t) => {
  const store = await openStore(t);
  const lane = openLane(store, "main");
  await lane.create();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  // No hint and no poll arrives, as while events are being gathered.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const quiet = { ...store, watch: () => () => {} };
  const follower = await startFollower({ runtime: { store: quiet }, onError });
  const heard: number[] = [];
  follower.listen(({ seq }) => heard.push(seq));
  const titles = Array.from({ length: 1_100 }, (_, index) => `title ${index}`);
  await Promise.all(
    titles.map((title) => lane.send({ type: "session.rename", title, auto: false })),
  );
  assert.deepEqual(heard, []);
  await follower.close();
  assert.deepEqual(
    heard,
    titles.map((_, index) => index + 2),
  );
  assert.deepEqual(errors, []);
});

test("T2 a follower retries a failing store later, and can be closed in the meantime", async (t) => {
  const store = await openStore(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const away = new Error("the store is away");
  const seen: unknown[] = [];
  const feed: Store["feed"] = async () => {
    seen.push("asked");
    throw away;
  };
  const onError = (error: unknown): void => void seen.push(error);
  const follower = await startFollower({ runtime: { store: { ...store, feed } }, onError });
  await setImmediate();
  assert.deepEqual(seen, ["asked", away]);
  t.mock.timers.tick(10_000);
  await setImmediate();
  assert.deepEqual(seen, ["asked", away, "asked", away]);
  // At the end the rest is read once.
  await follower.close();
  assert.deepEqual(seen, ["asked", away, "asked", away, "asked", away]);
});
