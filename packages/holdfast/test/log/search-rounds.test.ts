import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { TranscriptMessage } from "../../src/agent/message.ts";
import { createSearchIndex } from "../../src/log/search-index.ts";
import { searchViews } from "../../src/runtime/views/search.ts";
import { makeBody } from "../../src/store/body.ts";
import type { SearchWrite } from "../../src/store/search/search.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import type { Store } from "../../src/store/store.ts";
import { createSession } from "../kernel/support/commands.ts";
import { openLane, person } from "../store/lane-client.ts";
import type { LaneClient } from "../store/lane-client.ts";
import { databaseFile } from "../store/sqlite/folder.ts";
import { waitFor } from "../support/wait-for.ts";

const everything = { directories: null, after: null, limit: 50 };

async function newStore(t: TestContext): Promise<{ store: Store; lane: LaneClient }> {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  const lane = openLane(store, "main");
  await lane.create();
  return { store, lane };
}

function tell(lane: LaneClient, promptId: string, text: unknown) {
  // The test session accepts at most 1,000 bytes.
  return lane.accept(promptId, { text: JSON.stringify({ text }), bytes: 100 });
}

/** A store whose next writes to the index wait until `release` is called. */
function heldWrites(store: Store): { held: Store; writes: () => number; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let writes = 0;
  const held: Store = {
    ...store,
    writeSearch: async (write) => {
      writes += 1;
      await promise;
      return store.writeSearch(write);
    },
  };
  return { held, writes: () => writes, release: resolve };
}

async function prompts(store: Store, words: string): Promise<string[]> {
  const { hits, isComplete } = await searchViews(store).search({ ...everything, words });
  assert.equal(isComplete, true);
  return hits.map(({ promptId = "" }) => promptId);
}

test("a search during a long round of indexing returns indexed texts after one second", async (t) => {
  const { store, lane } = await newStore(t);
  await tell(lane, "old", "say walrus");
  assert.deepEqual(await prompts(store, "walrus"), ["old"]);
  await tell(lane, "new", "say walrus too");
  const { held, writes, release } = heldWrites(store);
  const views = searchViews(held);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const round = views.indexTexts(10_000);
  await waitFor(writes, { describe: "the first step of the round" });
  const searches = [1, 2, 3].map(() => views.search({ ...everything, words: "walrus" }));
  t.mock.timers.tick(1_000);
  for (const { hits, isComplete } of await Promise.all(searches)) {
    assert.deepEqual([isComplete, hits.map(({ promptId }) => promptId)], [false, ["old"]]);
  }
  release();
  assert.equal(await round, true);
});

test("a call during a step returns true only after a step that started after the call", async (t) => {
  const { store, lane } = await newStore(t);
  await tell(lane, "old", "say walrus");
  const { held, writes, release } = heldWrites(store);
  const index = createSearchIndex(held);
  const first = index.catchUp(10_000);
  await waitFor(writes, { describe: "the first step" });
  await tell(lane, "new", "say penguin");
  const second = index.catchUp(10_000);
  release();
  assert.deepEqual(await Promise.all([first, second]), [true, true]);
  const { cursor } = await feedEnd(store);
  assert.equal(await store.searchMark(), cursor);
});

test("an event whose text cannot be read is left out and reported once", async (t) => {
  const { store, lane } = await newStore(t);
  await tell(lane, "a", "walrus before");
  await tell(lane, "broken", 5);
  await tell(lane, "b", "walrus after");
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const index = createSearchIndex(store, { onError });
  assert.equal(await index.catchUp(10_000), true);
  await store.clearSearch();
  assert.equal(await index.catchUp(10_000), true);
  assert.deepEqual(await prompts(store, "walrus"), ["b", "a"]);
  assert.match(String(errors[0]), /leaves out event 3 of session main.*holdfast doctor/);
  assert.equal(errors.length, 1);
});

test("a store that fails for a while does not leave out texts", async (t) => {
  const { store, lane } = await newStore(t);
  await tell(lane, "a", "walrus");
  const lost = new StoreError("storeUnavailable", "the connection was lost");
  const body = (): Promise<never> => Promise.reject(lost);
  const index = createSearchIndex({ ...store, body });
  await assert.rejects(index.catchUp(10_000), { code: "storeUnavailable" });
  assert.deepEqual(await prompts(store, "walrus"), ["a"]);
});

test("a text that was damaged after indexing does not make a search fail", async (t) => {
  const { store, lane } = await newStore(t);
  await tell(lane, "a", "small walrus");
  await tell(lane, "b", "walrus");
  assert.deepEqual(await prompts(store, "walrus"), ["b", "a"]);
  const damaged = await lane.row("b");
  const body: Store["body"] = async (hash) =>
    hash === damaged.body ? new TextEncoder().encode("{") : store.body(hash);
  assert.deepEqual(await prompts({ ...store, body }, "walrus"), ["a"]);
});

test("a search in archived sessions does not read the texts of other sessions", async (t) => {
  const { store, lane } = await newStore(t);
  const old = openLane(store, "old");
  await old.create();
  await tell(old, "rare", "walrus");
  await old.send({ type: "session.archive", archived: true });
  for (let count = 0; count < 30; count += 1) await tell(lane, `p${count}`, "walrus");
  const read: string[] = [];
  const events: Store["events"] = (sessionId, page) => {
    read.push(sessionId);
    return store.events(sessionId, page);
  };
  const views = searchViews({ ...store, events });
  const found = async (archived: boolean): Promise<number> =>
    (await views.search({ ...everything, words: "walrus", archived })).hits.length;
  assert.equal(await found(true), 1);
  assert.deepEqual(read, ["old"]);
  await old.send({ type: "session.archive", archived: false });
  assert.deepEqual([await found(true), await found(false)], [0, 31]);
});

test("one transaction of the index writes at most 5,000 terms", async (t) => {
  const { store, lane } = await newStore(t);
  for (const promptId of ["a", "b", "c", "d"]) await tell(lane, promptId, words(promptId, 2_000));
  const { recording, writes } = recorder(store);
  assert.equal(await createSearchIndex(recording).catchUp(60_000), true);
  assert.deepEqual(writes.map(countTexts), [2, 2]);
  assert.deepEqual(await prompts(store, "d1999"), ["d"]);
});

test("a session with many inherited texts is indexed in parts, and each text once", async (t) => {
  const { store } = await newStore(t);
  const messages = ["a", "b", "c", "d", "e"].map((promptId): TranscriptMessage => ({
    role: "user",
    promptId,
    text: words(promptId, 2_000),
    attachments: [],
    actor: person,
    reply: false,
    resultOf: null,
    entered: true,
    outcome: null,
    at: 0,
  }));
  const body = makeBody(JSON.stringify({ messages }));
  const origin = { kind: "import", transcript: body.hash } as const;
  await openLane(store, "copy").send(createSession({ origin }), [body]);
  const { recording, writes } = recorder(store);
  let fails = 1;
  const unreliable: Store = {
    ...recording,
    writeSearch: async (write) => {
      if (writes.length === 1 && fails-- > 0) throw new StoreError("storeUnavailable", "lost");
      return recording.writeSearch(write);
    },
  };
  await assert.rejects(createSearchIndex(unreliable).catchUp(60_000), { code: "storeUnavailable" });
  assert.equal(await createSearchIndex(unreliable).catchUp(60_000), true);
  assert.deepEqual(writes.map(countTexts), [2, 2, 1]);
  for (const promptId of ["a", "c", "e"]) {
    assert.deepEqual(await prompts(store, `${promptId}1000`), [promptId]);
  }
});

function words(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(" ");
}

function recorder(store: Store): { recording: Store; writes: SearchWrite[] } {
  const writes: SearchWrite[] = [];
  const writeSearch: Store["writeSearch"] = async (write) => {
    const isWritten = await store.writeSearch(write);
    writes.push(write);
    return isWritten;
  };
  return { recording: { ...store, writeSearch }, writes };
}

function countTexts({ texts }: SearchWrite): number {
  return texts.length;
}

async function feedEnd(store: Store): Promise<{ cursor: string }> {
  const page = await store.feed({ after: null, limit: 1_000 });
  assert(page.status === "events");
  return page;
}
