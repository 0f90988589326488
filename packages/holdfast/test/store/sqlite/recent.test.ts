import assert from "node:assert/strict";
import { test } from "node:test";
import { makeBody } from "../../../src/store/body.ts";
import { openSqliteReader } from "../../../src/store/sqlite/reader.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { StoreReader } from "../../../src/store/store.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

// The owner answers from memory if it has just written the data. The answer must be the same as for other readers.

const words = (number: number): string => `words ${number}`;

async function seenBy(reader: StoreReader, prompts: number): Promise<unknown> {
  const numbers = Array.from({ length: prompts }, (_, number) => number);
  const pages = [0, 1, 5, 20, 1_000].map((after) =>
    Promise.all([1, 7, 1_000].map((limit) => reader.events("main", { after, limit }))),
  );
  return {
    rows: await Promise.all(numbers.map((number) => reader.prompt("main", `p${number}`))),
    bodies: await Promise.all(numbers.map((number) => reader.body(makeBody(words(number)).hash))),
    pages: await Promise.all(pages),
    end: await reader.events("main", { after: (await reader.lane("main"))?.seq ?? 0, limit: 10 }),
  };
}

test("T2 the owner's recent writes read the same from the cache as from the file", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const reader = await openSqliteReader({ file });
  context.after(() => reader.close());
  context.after(() => store.close());
  await store.join({ nodeId: "node", ttl: 60_000 });
  const main = openLane(store, "main");
  await main.create();
  for (let number = 0; number < 8; number += 1) {
    done(await main.accept(`p${number}`, { text: words(number) }));
    assert.deepEqual(await seenBy(store, number + 1), await seenBy(reader, number + 1));
    done(await main.start(`run${number}`, { owner: "node" }));
    done(await main.boundary());
    if (number === 5) done(await main.cancel("stop"));
    assert.deepEqual(await seenBy(store, number + 1), await seenBy(reader, number + 1));
    done(await main.end());
  }
  assert.deepEqual(await seenBy(store, 8), await seenBy(reader, 8));
  const { hash } = makeBody(words(7));
  await store.removeBodies({ hashes: [hash], since: await store.feedEnd() });
  assert.equal(await store.body(hash), null);
});
