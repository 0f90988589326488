import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import type { Done } from "../../src/kernel/transaction.ts";
import { createWorld, done, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

/** A run r1 whose background child k of the given session has settled. */
function withResult(sessionId: string): World {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId, promptId: "k" }, { background: true, create }));
  const child = world.session(sessionId);
  done(child.accept("k", { parent: { sessionId: "main", runId: "r1", background: true } }));
  done(child.start("r2"));
  done(child.boundary());
  done(child.answer([], { usage: { inputTokens: 1, outputTokens: 2, cost: 3 } }));
  done(child.end({ result: "the result" }));
  return world;
}

test("C7 the answer to a command contains the events of all commands that it sent", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  const create = { contentHash: "created", directory: "/elsewhere" };
  const child = world.session("child");
  const background = true;
  assert.deepEqual(
    told(done(world.link({ sessionId: "child", promptId: "k" }, { background, create }))),
    [["main child.linked"], ["/elsewhere", "child session.created"]],
  );
  const parent = { sessionId: "main", runId: "r1", background };
  assert.deepEqual(told(done(child.accept("k", { parent }))), [["child prompt.accepted"]]);
  assert.deepEqual(told(done(child.cancel("c"))), [
    ["child cancel.committed", "child prompt.settled"],
    ["/project", "main prompt.accepted"],
  ]);
});

function told({ events, sent }: Done): string[][] {
  const others = sent.map((part) => [part.directory, ...part.events.map(nameOf)]);
  return [events.map(nameOf), ...others];
}

function nameOf({ sessionId, type }: LaneEvent): string {
  return `${sessionId} ${type}`;
}

test("C7 a background child's outcome arrives as a new prompt", () => {
  const world = withResult("child");
  const row = world.row("result:k");
  const outcome = { status: "completed", reason: null, runId: "r2", result: "the result" };
  const usage = { inputTokens: 1, outputTokens: 2, cost: 3 };
  assert.deepEqual(row.resultOf, { sessionId: "child", promptId: "k", outcome, usage });
  assert.deepEqual([world.queue(), world.state().background], [["result:k"], []]);
  assert.deepEqual(world.state().usage, usage);
});

test("C7 a child whose result would have the id of another child's is refused", () => {
  const world = withResult("child");
  done(world.session("other").create());
  const other = { sessionId: "other", promptId: "k" };
  assert.equal(verdict(world.link(other, { background: true })), "conflict");
  assert.equal(verdict(world.link(other)), "done");
});

test("C7 a second child with the same prompt id is refused before either has a result", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  for (const sessionId of ["child", "other"]) done(world.session(sessionId).create());
  const background = true;
  done(world.link({ sessionId: "child", promptId: "k" }, { background }));
  const second = world.link({ sessionId: "other", promptId: "k" }, { background });
  assert.equal(verdict(second), "conflict");
});

test("C7 a link that is repeated changes nothing, before and after the child's result", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.session("child").create());
  const first = { sessionId: "child", promptId: "k" };
  done(world.link(first, { background: true }));
  assert.deepEqual(done(world.link(first, { background: true })).events, []);
  const later = withResult("child");
  const again = done(later.link(first, { background: true }));
  assert.deepEqual([again.events, again.state.background], [[], []]);
});
