import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "@holdfast/sdk";
import { chooseSessions } from "../src/model/wanted-sessions.ts";

function session(sessionId: string, updatedAt: number, status: Session["status"]): Session {
  return {
    sessionId,
    directory: "/code/shop",
    title: null,
    archived: false,
    parent: null,
    status,
    seq: 1,
    queued: 0,
    openAsks: 0,
    runId: null,
    holds: [],
    usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
    budget: null,
    createdAt: 0,
    updatedAt,
  };
}

/** Latest activity first. */
const listed = [
  session("e", 50, "idle"),
  session("d", 40, "idle"),
  session("c", 30, "asking"),
  session("b", 20, "idle"),
  session("a", 10, "held"),
];

test("a view of the server has all that did something in its time, and first whatever has work", () => {
  assert.deepEqual(
    [
      choose({ since: 40, latest: 0, most: 9 }),
      choose({ since: Infinity, latest: 1, most: 9 }),
      choose({ since: 0, latest: 0, most: 9 }),
      choose({ since: 0, latest: 0, most: 3 }),
    ],
    [
      { ids: "caed", wanted: 4, hasEarlier: true },
      { ids: "cae", wanted: 3, hasEarlier: true },
      { ids: "caedb", wanted: 5, hasEarlier: false },
      { ids: "cae", wanted: 5, hasEarlier: false },
    ],
  );
});

function choose(wanted: Parameters<typeof chooseSessions>[1]) {
  const { sessions, ...rest } = chooseSessions(listed, wanted);
  return { ids: sessions.map(({ sessionId }) => sessionId).join(""), ...rest };
}
