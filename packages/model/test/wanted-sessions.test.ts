import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseSessions } from "../src/wanted-sessions.ts";
import { session } from "./support/session.ts";

/** Sorted by latest activity. */
const listed = [
  session("e", { updatedAt: 50, status: "idle" }),
  session("d", { updatedAt: 40, status: "idle" }),
  session("c", { updatedAt: 30, status: "asking" }),
  session("b", { updatedAt: 20, status: "idle" }),
  session("a", { updatedAt: 10, status: "held" }),
];

test("a server view includes sessions active in its time range, those with work first", () => {
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
