import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openStreamFixture } from "./stream-fixture.ts";
import type { StreamFixture } from "./stream-fixture.ts";

test("T2: a session's reader is told that a backup was restored, even if the log has grown past its position", async (t) => {
  const { fixture, known, lost } = await restored(t, "main");
  const end = await endOf(fixture, "main");
  assert.equal(end.seq > lost.seq, true);
  assert.deepEqual(await opening(fixture, { sessionId: "main", after: lost.place }), [
    { id: end.place, event: "reset", data: { cursor: end.place } },
    { id: null, event: "live", data: { seq: end.seq, cursor: end.place } },
  ]);
  // Events in the copy are unchanged: a reader that knows no more continues after them.
  const seen = await opening(fixture, { sessionId: "main", after: known.place });
  const behind = (await fixture.log("main")).slice(known.seq);
  assert.deepEqual(
    seen.map(({ data }) => data),
    [...behind, { seq: end.seq, cursor: end.place }],
  );
});

test("T2: a reader of all sessions is told that a file was restored under its old name", async (t) => {
  const { fixture, known, lost } = await restored(t, null);
  const end = await endOf(fixture, null);
  assert.deepEqual(await opening(fixture, { sessionId: null, after: lost.place }), [
    { id: end.place, event: "reset", data: { cursor: end.place } },
    { id: null, event: "live", data: { seq: null, cursor: end.place } },
  ]);
  const seen = await opening(fixture, { sessionId: null, after: known.place });
  assert.deepEqual(
    seen.filter(({ event }) => event === "reset"),
    [],
  );
});

interface End {
  readonly place: string;
  readonly seq: number;
}

/**
 * Opens a store that was restored from a copy and has grown since. Returns the positions of readers before and after
 * the copy.
 */
async function restored(
  t: TestContext,
  sessionId: string | null,
): Promise<{ fixture: StreamFixture; known: End; lost: End }> {
  const first = await openStreamFixture(t);
  await first.runtime.createSession({ sessionId: "main", directory: "/project" });
  await first.exchange("main", "kept");
  const known = await endOf(first, sessionId);
  const second = await first.restart(({ file }) => copyFileSync(file, `${file}.copy`));
  await second.exchange("main", "lost");
  const lost = await endOf(second, sessionId);
  const fixture = await second.restart(({ file }) => copyFileSync(`${file}.copy`, file));
  for (const promptId of ["new", "newer"]) await fixture.exchange("main", promptId);
  return { fixture, known, lost };
}

async function endOf(fixture: StreamFixture, sessionId: string | null): Promise<End> {
  const [live] = await opening(fixture, { sessionId, after: "now" });
  const data = live?.data;
  assert(typeof data === "object" && data !== null && "cursor" in data && "seq" in data);
  return { place: String(data.cursor), seq: Number(data.seq) };
}

async function opening(
  fixture: StreamFixture,
  request: { sessionId: string | null; after: string },
) {
  return (await fixture.read({ ...request, follow: false })).until("live");
}
