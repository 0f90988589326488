import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeBody } from "../../../src/store/body.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import * as make from "../../kernel/support/commands.ts";
import { audit } from "../audit.ts";
import { done, openLane, verdict } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

const limits = { ...make.plentyOfRoom, maxBytes: 1 << 24 };
const text = "0123456789abcdef".repeat(256 * 1024);
const { hash, content } = makeBody(text);
const upload = { hash, content, mediaType: "text/plain", name: null };

test("while a 4 MiB body is written, other sessions commit, and its own session keeps its order", async (t) => {
  const { store, parts } = await opened(t);
  const [lane, other] = [openLane(store, "large"), openLane(store, "other")];
  done(await lane.create());
  done(await other.create());
  const order: string[] = [];
  const large = lane.accept("p1", { text, limits }).then(() => order.push("large"));
  const behind = lane.accept("p2").then(() => order.push("behind"));
  for (let count = 1; count <= 5; count += 1) {
    done(await other.accept(`p${count}`));
    order.push("other");
  }
  await Promise.all([large, behind]);
  assert.deepEqual(order, [...Array.from({ length: 5 }, () => "other"), "large", "behind"]);
  assert.deepEqual(
    (await lane.events()).map(({ type }) => type),
    ["session.created", "prompt.accepted", "prompt.accepted"],
  );
  assert.equal(parts(), 16);
  assert.ok(isContent(await store.body(hash)));
  assert.deepEqual(await audit(store), []);
});

test("a refused request leaves no parts, and a repeated one adds none", async (t) => {
  const { store, parts } = await opened(t);
  const lane = openLane(store, "s");
  done(await lane.create());
  const small = { ...limits, maxBytes: 1_000 };
  assert.equal(verdict(await lane.accept("p1", { text, limits: small })), "tooLarge");
  assert.equal(parts(), 0);
  done(await lane.accept("p1", { text, limits }));
  done(await lane.accept("p1", { text, limits }));
  done(await lane.accept("p2", { text, limits }));
  assert.equal(parts(), 16);
});

test("an upload and a body share their parts, which are deleted with the last of them", async (t) => {
  const { store, parts } = await opened(t);
  const lane = openLane(store, "s");
  done(await lane.create());
  await Promise.all([store.addUpload(upload), store.addUpload(upload)]);
  assert.ok(isContent((await store.upload(hash))?.content ?? null));
  done(await lane.accept("p1", { text, limits }));
  assert.equal(parts(), 16);
  assert.equal(await store.sweepUploads({ before: Number.MAX_SAFE_INTEGER }), 1);
  assert.ok(isContent(await store.body(hash)), "the body keeps them");
  const since = await store.feedEnd();
  assert.equal(await store.removeBodies({ hashes: [hash], since }), true);
  assert.deepEqual([parts(), await store.body(hash)], [0, null]);

  await store.addUpload(upload);
  assert.equal(parts(), 16);
  await store.sweepUploads({ before: Number.MAX_SAFE_INTEGER });
  assert.equal(parts(), 0);
});

test("closing waits for large contents, and parts that a crash left are removed", async (t) => {
  const { store, file } = await opened(t);
  const lane = openLane(store, "s");
  done(await lane.create());
  const accepted = lane.accept("p1", { text, limits });
  const uploaded = store.addUpload({ ...upload, ...makeBody(`${text}!`) });
  await store.close();
  done(await accepted);
  await uploaded;
  const database = new DatabaseSync(file);
  database.prepare("INSERT INTO parts VALUES ('left', 0, x'00')").run();
  database.close();
  const again = await openSqliteStore({ file });
  t.after(() => again.close());
  assert.ok(isContent(await again.body(hash)));
  assert.equal(count(file, "WHERE hash = 'left'"), 0);
  assert.equal(count(file), 16 + 17);
});

interface Opened {
  readonly store: SqliteStore;
  readonly file: string;
  readonly parts: () => number;
}

async function opened(t: TestContext): Promise<Opened> {
  const file = databaseFile(t);
  const store = await openSqliteStore({ file });
  t.after(() => store.close());
  return { store, file, parts: () => count(file) };
}

function count(file: string, where = ""): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare(`SELECT count(*) AS count FROM parts ${where}`).get();
  database.close();
  return Number(row?.["count"]);
}

/** Compares as a boolean, because a difference of this size is too large to print. */
function isContent(stored: Uint8Array | null): boolean {
  return stored !== null && Buffer.from(stored).equals(content);
}
