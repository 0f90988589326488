import assert from "node:assert/strict";
import { test } from "node:test";
import { moveBefore } from "../src/queue.ts";
import type { QueueItem } from "../src/queue.ts";
import { filterQuery } from "../src/session-filter.ts";
import type { SessionFilter } from "../src/session-filter.ts";
import { listRows, sessionTree } from "../src/session-tree.ts";
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
