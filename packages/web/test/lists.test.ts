import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../src/model/diff-lines.ts";
import { moveBefore } from "../src/model/queue.ts";
import type { QueueItem } from "../src/model/queue.ts";
import { parseRoute, pathOf } from "../src/model/route.ts";
import { placeRows, rowAt, rowsInSight } from "../src/model/row-heights.ts";
import { filterQuery } from "../src/model/session-filter.ts";
import type { SessionFilter } from "../src/model/session-filter.ts";
import { listRows, sessionTree } from "../src/model/session-tree.ts";
import { session } from "./support/session.ts";

test("sessions are grouped by directory, latest first, with children below their parent", () => {
  const sessions = [
    session("old", { updatedAt: 1 }),
    session("other", { updatedAt: 2, directory: "/code/other", status: "stopping" }),
    session("child", {
      updatedAt: 9,
      parent: { sessionId: "old", runId: "r" },
      status: "cutOff",
    }),
    session("new", { updatedAt: 3 }),
    session("gone", { updatedAt: 4, archived: true }),
    session("orphan", { updatedAt: 0, parent: { sessionId: "unknown", runId: "r" } }),
  ];
  const names = (filter: Partial<SessionFilter>): readonly string[] =>
    listRows(sessionTree(sessions, { search: "", show: "all", ...filter })).map((row) =>
      row.kind === "directory" ? row.directory : `${" ".repeat(row.depth)}${row.session.sessionId}`,
    );
  assert.deepEqual(names({}), [
    "/code/app",
    "new",
    "old",
    " child",
    "orphan",
    "/code/other",
    "other",
  ]);
  assert.deepEqual(names({ show: "archived" }), ["/code/app", "gone"]);
  assert.deepEqual(names({ search: "code oth" }), ["/code/other", "other"]);
  assert.deepEqual(names({ search: "nothing" }), []);
  assert.deepEqual(names({ show: "held" }), ["/code/app", "child"]);
  assert.deepEqual(names({ show: "running" }), ["/code/other", "other"]);
});

test("the server is queried with the list's filter and the longest search word", () => {
  assert.deepEqual(filterQuery({ search: " ", show: "all" }), { archived: false });
  assert.deepEqual(filterQuery({ search: "of checkout", show: "running" }), {
    archived: false,
    search: "checkout",
    status: ["running", "stopping", "working"],
  });
  assert.deepEqual(filterQuery({ search: "", show: "archived" }), { archived: true });
});

test("a queue position is sent as the id of the next item", () => {
  const queue = ["a", "b", "c"].map((promptId): QueueItem => ({
    kind: "prompt",
    promptId,
    acceptSeq: 1,
    revision: 1,
    binding: null,
    reply: true,
    expiresAt: null,
  }));
  assert.equal(moveBefore(queue, "c", 0), "a");
  assert.equal(moveBefore(queue, "a", 1), "c");
  assert.equal(moveBefore(queue, "a", 2), null);
  assert.equal(moveBefore(queue, "a", 9), null);
  assert.equal(moveBefore(queue, "b", 1), undefined);
  assert.equal(moveBefore(queue, "gone", 1), undefined);
});

test("of ten thousand rows only the visible ones are rendered", () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `row${index}`);
  const places = placeRows(ids, new Map([["row0", 500]]), 100);
  assert.equal(places.edges[10_000], 1_000_400);
  assert.equal(rowAt(places, 0), 0);
  assert.equal(rowAt(places, 499), 0);
  assert.equal(rowAt(places, 500), 1);
  assert.equal(rowAt(places, 99_999_999), 9_999);
  const { first, end } = rowsInSight(places, { top: 500_500, height: 800, spare: 600 });
  assert.deepEqual({ first, end }, { first: 4_995, end: 5_016 });
  assert.deepEqual(
    rowsInSight(placeRows([], new Map(), 100), { top: 0, height: 800, spare: 600 }),
    { first: 0, end: 0 },
  );
});

test("a diff becomes numbered lines", () => {
  const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -3,2 +3,3 @@\n same\n-old\n+new\n+more\n\\ No newline\n";
  assert.deepEqual(diffLines(diff), {
    path: "x.ts",
    added: 2,
    removed: 1,
    lines: [
      { kind: "hunk", text: "@@ -3,2 +3,3 @@", before: null, after: null },
      { kind: "same", text: "same", before: 3, after: 3 },
      { kind: "remove", text: "old", before: 4, after: null },
      { kind: "add", text: "new", before: null, after: 4 },
      { kind: "add", text: "more", before: null, after: 5 },
    ],
  });
});

test("every route converts to an address and back", () => {
  for (const path of [
    "/",
    "/sessions/a%2Fb",
    "/sessions/x/timeline",
    "/timeline",
    "/health",
    "/settings/look",
  ]) {
    assert.equal(pathOf(parseRoute(path)), path);
  }
  assert.deepEqual(parseRoute("/nonsense/%zz"), { page: "home" });
});
