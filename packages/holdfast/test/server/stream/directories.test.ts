import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { createDirectories } from "../../../src/server/stream/directories.ts";

function renamed(sessionId: string): LaneEvent {
  const about = {
    sessionId,
    seq: 2,
    at: 1,
    actor: { kind: "client", id: "a" },
    version: 1,
  } as const;
  return { ...about, type: "session.renamed", title: "a title", auto: false };
}

test("T2 a limited reader misses no event, even with many sessions: the directories of a page stay known", async () => {
  const lookedUp: string[] = [];
  const directories = createDirectories(async (sessionId) => {
    lookedUp.push(sessionId);
    return `/code/${sessionId}`;
  });
  const ids = Array.from({ length: 10_000 }, (_, number) => `s${number}`);
  await directories.learn(ids.map(renamed));
  // The oldest known session, and enough others to evict it.
  const page = ["s0", ...Array.from({ length: 49 }, (_, number) => `new${number}`)];
  await directories.learn(page.map(renamed));
  assert.deepEqual(
    page.map((sessionId) => directories.of(sessionId)),
    page.map((sessionId) => `/code/${sessionId}`),
  );
  assert.equal(directories.of("s1"), null, "it does not grow");
  assert.deepEqual(lookedUp, [...ids, ...page.slice(1)], "each is looked up once");
});
