import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, CommandData } from "../../src/kernel/command.ts";
import { execute, openBatch } from "../../src/kernel/transaction.ts";
import type { Answer } from "../../src/kernel/transaction.ts";
import * as make from "./support/commands.ts";
import { copyStore, drive, transactAll } from "./support/memory-store.ts";
import { createWorld, done, person, verdict } from "./support/world.ts";
import type { World } from "./support/world.ts";

// Group commit: a command of a batch sees the stored data and the writes of earlier commands in the batch.

function together(world: World, ...commands: CommandData[]): Answer[] {
  return transactAll(
    world.store,
    commands.map((data) => inSession("main", world, data)),
  );
}

function inSession(sessionId: string, world: World, data: CommandData): Command {
  return { sessionId, actor: person, at: world.clock.now, ...data };
}

test("L1 a takeover in the batch of the start finds the new owner alive", () => {
  const world = createWorld();
  const answers = together(world, make.accept("p1"), make.startRun("r1"), make.takeover());
  assert.deepEqual(answers.map(verdict), ["done", "done", "owned"]);
  assert.equal(world.run().owner, "node1");
});

test("L5 a second takeover in a batch sees the owner that the first one set", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  world.lose("node1");
  const first = make.takeover({ owner: "node2" });
  const answers = together(world, first, make.takeover({ owner: "node3" }));
  assert.deepEqual(answers.map(verdict), ["done", "owned"]);
  const dead = together(world, make.accept("p2"), make.takeover({ owner: "node3" }));
  assert.deepEqual(dead.map(verdict), ["done", "owned"]);
});

test("C4 a repeated cancel is recognized after another command of its batch", () => {
  const world = createWorld();
  done(world.accept("p1"));
  const { receipt } = done(world.cancel("x1"));
  const [, again] = together(world, make.accept("p2"), make.cancel("x1"));
  assert(again?.status === "done");
  assert.deepEqual([again.receipt, again.events], [receipt, []]);
  assert.deepEqual(world.queue(), ["p2"]);
});

test("C4 a cancel that is repeated in its own batch covers nothing more", () => {
  const world = createWorld();
  const answers = together(
    world,
    make.accept("p1"),
    make.cancel("x1"),
    make.accept("p2"),
    make.cancel("x1"),
  );
  const receipts = answers.map((answer) => (answer.status === "done" ? answer.receipt : null));
  assert.deepEqual(receipts[3], receipts[1]);
  assert.deepEqual(world.queue(), ["p2"]);
});

test("P3 a repeated prompt is recognized after another command of its batch", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.cancel("x1"));
  const same = together(world, make.accept("p2"), make.accept("p1"));
  assert.deepEqual(same.map(verdict), ["done", "done"]);
  assert.deepEqual(done(same[1] ?? assert.fail()).prompt, world.row("p1"));
  const other = make.accept("p1", { contentHash: "other" });
  assert.deepEqual(together(world, make.accept("p3"), other).map(verdict), ["done", "conflict"]);
});

test("R4 an answered ask is recognized after another command of its batch", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.ask("a1"));
  done(world.answerAsk("a1", "deny"));
  const allow = { type: "ask.answer", askId: "a1", verdict: "allow", body: null } as const;
  const answers = together(world, make.accept("p2"), allow);
  assert.deepEqual(answers.map(verdict), ["done", "askClosed"]);
  const [, unknown] = together(world, make.accept("p3"), { ...allow, askId: "a2" });
  assert.equal(verdict(unknown ?? assert.fail()), "unknownAsk");
});

test("R4 a cancel and an answer in one batch: the first wins", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.ask("a1"));
  const allow = { type: "ask.answer", askId: "a1", verdict: "allow", body: null } as const;
  assert.deepEqual(together(world, make.cancel("x1"), allow).map(verdict), ["done", "askClosed"]);
  assert.deepEqual(world.askRow("a1").closed?.resolution, { kind: "withdrawn" });
});

test("a refused command does not affect the others of its batch", () => {
  const world = createWorld();
  const answers = together(world, make.accept("p1"), make.accept("p b"), make.accept("p2"));
  assert.deepEqual(answers.map(verdict), ["done", "invalid", "done"]);
  assert.deepEqual(world.queue(), ["p1", "p2"]);
});

test("a command that fails at its second lane leaves no change in its batch", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k" }, { background: true, create }));
  const parent = { sessionId: "main", runId: "r1", background: true };
  done(world.session("child").accept("k", { parent }));
  const batch = openBatch();
  drive(world.store, execute(batch, inSession("child", world, make.accept("q1"))));
  const before = new Map(batch.lanes);
  const unreadable = copyStore(world.store);
  unreadable.lanes.get = (sessionId) => {
    assert.notEqual(sessionId, "main", "the parent's lane cannot be read");
    return world.store.lanes.get(sessionId);
  };
  const cancel = execute(batch, inSession("child", world, make.cancel("x1")));
  assert.throws(() => drive(unreadable, cancel), /parent's lane/);
  assert.deepEqual(batch.lanes, before);
});
