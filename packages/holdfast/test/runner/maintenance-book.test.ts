import assert from "node:assert/strict";
import { test } from "node:test";
import { changeAction, requestAction } from "../../src/kernel/decide/maintenance.ts";
import type { MaintenanceAction } from "../../src/kernel/maintenance.ts";
import { createActionBook } from "../../src/runner/maintenance/action-book.ts";
import type { ActionBook } from "../../src/runner/maintenance/action-book.ts";

// Notices about actions that a process reads from the store, even if reads return out of order.

const run = { directory: "/one", sessionId: "s", runId: "r" };
const requested = newAction();
const deferred = changeAction(requested, {
  type: "report",
  part: { nodeId: "n1", status: "deferred", directories: ["/one"], waitingFor: [run] },
  at: 11,
});
const completed = changeAction(deferred, { type: "lose", nodes: ["n1"], at: 12 });

test("M3 a late read changes nothing and sends no notice", () => {
  const { book, told } = openBook();
  book.learn({ action: requested, version: 1 });
  book.learn({ action: deferred, version: 2 });
  book.learn({ action: requested, version: 1 });
  assert.deepEqual(book.open(), [deferred]);
  book.learn({ action: completed, version: 3 });
  book.learn({ action: deferred, version: 2 });
  book.learn({ action: completed, version: Infinity });
  assert.deepEqual([book.get("act"), book.open()], [completed, []]);
  assert.deepEqual(told, ["requested", "deferred", "completed"]);
});

test("M3 an action that ended before this process knew it is reported only to its requester", () => {
  const { book, told } = openBook();
  book.learn({ action: completed, version: 3 });
  assert.deepEqual([told, book.get("act")], [[], completed]);
  const own = openBook();
  own.book.learn({ action: completed, version: 1 }, { isOwn: true });
  assert.deepEqual(own.told, ["requested", "completed"]);
});

test("M3 a callback is called once, unless it was cancelled", () => {
  const { book } = openBook();
  const called: string[] = [];
  book.onEnded("act", () => called.push("first"));
  const callOff = book.onEnded("act", () => called.push("second"));
  book.learn({ action: deferred, version: 2 });
  callOff();
  book.learn({ action: completed, version: 3 });
  book.onEnded("act", () => called.push("late"));
  book.learn({ action: completed, version: Infinity });
  book.learn({ action: completed, version: Infinity });
  assert.deepEqual(called, ["first", "late"]);
});

test("M3 waiters for an action get its current status when the process closes its list of actions", async () => {
  const { book } = openBook();
  book.learn({ action: deferred, version: 2 });
  const { signal } = new AbortController();
  const waiting = book.until("act", { condition: ({ endedAt }) => endedAt !== null, signal });
  book.keep(new Set());
  book.close();
  assert.deepEqual(await waiting, deferred);
  book.learn({ action: completed, version: 3 });
  book.keep(new Set());
  assert.equal(book.get("act"), null);
});

function openBook(): { book: ActionBook; told: string[] } {
  const told: string[] = [];
  const book = createActionBook(assert.ifError);
  book.onChange((_action, name) => told.push(name.replace("maintenance.", "")));
  return { book, told };
}

function newAction(): MaintenanceAction {
  const decided = requestAction(null, {
    actionId: "act",
    kind: "close",
    directories: null,
    mode: "maintenance",
    cause: "request",
    restart: [],
    revoke: [],
    actor: { kind: "client", id: "person" },
    nodes: ["n1"],
    at: 10,
  });
  assert.ok(!("refusal" in decided));
  return decided;
}
