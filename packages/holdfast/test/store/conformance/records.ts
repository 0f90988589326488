import assert from "node:assert/strict";
import type { NewUpload } from "../../../src/store/store.ts";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";

const start = 1_700_000_000_000;

export function testRecords(engine: Engine): void {
  storeTest(engine, "a record is written by whoever has seen its last version", async (place) => {
    const { store } = place;
    const peer = await place.peer();
    const key = { kind: "token", id: "t1" };
    const first = { ...key, version: 1, value: { name: "a" }, updatedAt: start };
    assert.equal(await store.record("token", "t1"), null);
    assert.deepEqual(await store.putRecord({ ...key, value: { name: "a" }, version: null }), {
      status: "stored",
      record: first,
    });
    assert.deepEqual(await peer.putRecord({ ...key, value: { name: "b" }, version: null }), {
      status: "conflict",
      record: first,
    });
    await place.advance(7);
    const second = { ...key, version: 2, value: { name: "c" }, updatedAt: start + 7 };
    assert.deepEqual(await peer.putRecord({ ...key, value: { name: "c" }, version: 1 }), {
      status: "stored",
      record: second,
    });
    assert.deepEqual(await store.putRecord({ ...key, value: { name: "d" }, version: 1 }), {
      status: "conflict",
      record: second,
    });
    await place.reopen();
    assert.deepEqual(await place.store.record("token", "t1"), second);
    assert.equal(await place.store.removeRecord(key), true);
    assert.equal(await place.store.removeRecord(key), false);
    assert.deepEqual(await place.store.putRecord({ ...key, value: null, version: 2 }), {
      status: "conflict",
      record: null,
    });
  });

  storeTest(engine, "of many who write a record at once, one does", async (place) => {
    const peer = await place.peer();
    const write = { kind: "webhook", id: "w", version: null } as const;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, value) =>
        (value % 2 === 0 ? place.store : peer).putRecord({ ...write, value }),
      ),
    );
    const stored = results.filter((result) => result.status === "stored");
    assert.equal(stored.length, 1);
    assert.deepEqual(await place.store.record("webhook", "w"), stored[0]?.record);
  });

  storeTest(
    engine,
    "the records of a kind are read in order of id, page by page",
    async (place) => {
      const { store } = place;
      for (const id of ["b", "c", "a", "D"]) {
        await store.putRecord({ kind: "token", id, value: id, version: null });
      }
      await store.putRecord({ kind: "webhook", id: "b2", value: 1, version: null });
      const ids = async (after: string | null, limit: number): Promise<string[]> =>
        (await store.records("token", { after, limit })).map(({ id }) => id);
      assert.deepEqual([await ids(null, 3), await ids("b", 3)], [["D", "a", "b"], ["c"]]);
      assert.deepEqual(await store.records("none", { after: null, limit: 3 }), []);
    },
  );

  storeTest(engine, "a record holds whatever JSON can say, and no odd keys", async (place) => {
    const { store } = place;
    const value = { text: 'nul \u0000 lone \ud800 😀 "', list: [1, null, true, 1e300], deep: {} };
    const write = { kind: "token", id: "x", value, version: null };
    await store.putRecord(write);
    assert.deepEqual((await store.record("token", "x"))?.value, value);
    for (const id of ["", "\u0000", "a b", "x".repeat(201), "é"]) {
      await assert.rejects(store.putRecord({ ...write, id }), RangeError);
      assert.equal(await store.record("token", id), null);
      assert.equal(await store.removeRecord({ kind: "token", id }), false);
    }
    await assert.rejects(store.putRecord({ ...write, value: undefined }), TypeError);
  });

  storeTest(
    engine,
    "an upload stays until it is swept, and is kept by adding it again",
    async (place) => {
      const { store } = place;
      await store.addUpload(upload("h1", "a.txt"));
      await store.addUpload(upload("h2", null));
      await place.advance(10);
      await store.addUpload(upload("h1", "nul \u0000 é.txt"));
      assert.deepEqual(await store.upload("h1"), {
        ...upload("h1", "nul \u0000 é.txt"),
        uploadedAt: start + 10,
      });
      assert.deepEqual(await store.upload("h2"), { ...upload("h2", null), uploadedAt: start });
      assert.equal(await store.sweepUploads({ before: start }), 0);
      assert.equal(await store.sweepUploads({ before: start + 10 }), 1);
      await place.reopen();
      assert.deepEqual(
        [await place.store.upload("h2"), (await place.store.upload("h1"))?.name],
        [null, "nul \u0000 é.txt"],
      );
      assert.equal(await place.store.upload("\u0000"), null);
    },
  );
}

function upload(hash: string, name: string | null): NewUpload {
  const content = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  return { hash, mediaType: "text/plain", name, content };
}
