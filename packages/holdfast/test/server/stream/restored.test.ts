import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openScene } from "./scene.ts";
import type { Scene } from "./scene.ts";

test("T2: a session's reader is told when a backup was put back, also if the log has grown past his place", async (t) => {
  const { scene, known, lost } = await restored(t, "main");
  const end = await endOf(scene, "main");
  assert.equal(end.seq > lost.seq, true);
  assert.deepEqual(await opening(scene, { sessionId: "main", after: lost.place }), [
    { id: end.place, event: "reset", data: { cursor: end.place } },
    { id: null, event: "live", data: { seq: end.seq, cursor: end.place } },
  ]);
  // What the copy has is the same as ever: a reader who knows no more goes on behind it.
  const seen = await opening(scene, { sessionId: "main", after: known.place });
  const behind = (await scene.log("main")).slice(known.seq);
  assert.deepEqual(
    seen.map(({ data }) => data),
    [...behind, { seq: end.seq, cursor: end.place }],
  );
});

test("T2: so is a reader of all sessions, on a file that was put back under its old name", async (t) => {
  const { scene, known, lost } = await restored(t, null);
  const end = await endOf(scene, null);
  assert.deepEqual(await opening(scene, { sessionId: null, after: lost.place }), [
    { id: end.place, event: "reset", data: { cursor: end.place } },
    { id: null, event: "live", data: { seq: null, cursor: end.place } },
  ]);
  const seen = await opening(scene, { sessionId: null, after: known.place });
  assert.deepEqual(
    seen.filter(({ event }) => event === "reset"),
    [],
  );
});

interface End {
  readonly place: string;
  readonly seq: number;
}

/** A store that is a copy of an earlier moment, and has gone on since: what readers knew at both times. */
async function restored(
  t: TestContext,
  sessionId: string | null,
): Promise<{ scene: Scene; known: End; lost: End }> {
  const first = await openScene(t);
  await first.runtime.createSession({ sessionId: "main", directory: "/project" });
  await first.exchange("main", "kept");
  const known = await endOf(first, sessionId);
  const second = await first.restart(({ file }) => copyFileSync(file, `${file}.copy`));
  await second.exchange("main", "lost");
  const lost = await endOf(second, sessionId);
  const scene = await second.restart(({ file }) => copyFileSync(`${file}.copy`, file));
  for (const promptId of ["new", "newer"]) await scene.exchange("main", promptId);
  return { scene, known, lost };
}

async function endOf(scene: Scene, sessionId: string | null): Promise<End> {
  const [live] = await opening(scene, { sessionId, after: "now" });
  const data = live?.data;
  assert(typeof data === "object" && data !== null && "cursor" in data && "seq" in data);
  return { place: String(data.cursor), seq: Number(data.seq) };
}

async function opening(scene: Scene, request: { sessionId: string | null; after: string }) {
  return (await scene.read({ ...request, follow: false })).until("live");
}
