import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { audit } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile, storeError } from "./folder.ts";

const limits = { maxQueue: 1000, maxBytes: 1_000_000, draining: false };

test("P1 a full store reports it, keeps acknowledged data, and works again when there is space", async (context) => {
  const file = databaseFile(context);
  const full = await openSqliteStore({ file, maxBytes: 400_000 });
  const lane = openLane(full, "s");
  await lane.create();
  const accepted: string[] = [];
  const refused: string[] = [];
  while (refused.length === 0) {
    const ids = Array.from({ length: 8 }, (_, number) => `p${accepted.length}-${number}`);
    const answers = await Promise.allSettled(
      ids.map((id) => lane.accept(id, { text: id.repeat(2000), limits })),
    );
    for (const [index, answer] of answers.entries()) {
      const id = ids[index] ?? "";
      if (answer.status === "fulfilled") accepted.push(id);
      else {
        assert.equal(answer.reason.code, "storeFull");
        assert.equal(answer.reason.retryable, true);
        assert.match(answer.reason.message, /free some space/);
        refused.push(id);
      }
    }
  }
  assert.ok(accepted.length > 8);
  assert.deepEqual(await audit(full), []);
  await full.close();
  const store = await openSqliteStore({ file });
  const rows = await store.prompts("s", { after: null, limit: 1000 });
  assert.deepEqual(rows.map(({ promptId }) => promptId).toSorted(), accepted.toSorted());
  const [again = ""] = refused;
  done(await openLane(store, "s").accept(again, { text: again.repeat(2000), limits }));
  assert.deepEqual(await audit(store), []);
  await store.close();
});

test("an upload into a full store fails with storeFull, and earlier uploads stay", async (context) => {
  const store = await openSqliteStore({ file: databaseFile(context), maxBytes: 800_000 });
  const add = (hash: string) =>
    store.addUpload({
      hash,
      mediaType: "text/plain",
      name: "notes.txt",
      content: new Uint8Array(250_000),
    });
  await add("first");
  await assert.rejects(
    async () => {
      for (const hash of ["second", "third", "fourth"]) await add(hash);
    },
    storeError("storeFull", /free some space/),
  );
  assert.equal((await store.upload("first"))?.content.byteLength, 250_000);
  await store.close();
});

test("a failed COMMIT fails its whole batch, and nothing that was acknowledged", async (context) => {
  const file = databaseFile(context);
  const worker = join(import.meta.dirname, "limited-worker.ts");
  const command = 'ulimit -f 1000 && exec "$0" "$1" "$2"';
  const child = spawnSync("sh", ["-c", command, process.execPath, worker, file], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: { acknowledged: string[]; codes: string[] } = JSON.parse(child.stdout);
  assert.deepEqual(
    told.codes,
    Array.from({ length: 8 }, () => "storeUnavailable"),
  );
  const store = await openSqliteStore({ file });
  const rows = await store.prompts("s", { after: null, limit: 1000 });
  assert.deepEqual(
    rows.map(({ promptId }) => promptId),
    told.acknowledged,
  );
  assert.deepEqual(await audit(store), []);
  await store.close();
});
