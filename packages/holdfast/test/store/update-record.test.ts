import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { RecordWrite } from "../../src/store/store.ts";
import { updateRecord } from "../../src/store/update-record.ts";

test("a change of a record is repeated if another writer was faster, and null changes nothing", async (t) => {
  const store = await openSqliteStore({ file: ":memory:" });
  t.after(() => store.close());
  const key = { kind: "list", id: "a" };
  const seen: unknown[] = [];
  const add = (word: string) => (found: { readonly value: unknown } | null) => {
    const value: unknown = found?.value;
    seen.push(value ?? null);
    return [...(Array.isArray(value) ? value : []), word];
  };
  await updateRecord(store, key, add("first"));
  let isOvertaken = false;
  const raced = {
    record: async (kind: string, id: string) => {
      const found = await store.record(kind, id);
      if (!isOvertaken) {
        isOvertaken = true;
        await updateRecord(store, key, add("second"));
      }
      return found;
    },
    putRecord: (write: RecordWrite) => store.putRecord(write),
  };
  assert.deepEqual(await updateRecord(raced, key, add("third")), ["first", "second", "third"]);
  assert.deepEqual(seen, [null, ["first"], ["first"], ["first", "second"]]);
  assert.equal(await updateRecord(store, key, () => null), null);
  assert.deepEqual((await store.record(key.kind, key.id))?.value, ["first", "second", "third"]);
});
