import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds } from "../../src/kernel/validate.ts";
import * as make from "./support/commands.ts";
import { transactAll } from "./support/memory-store.ts";
import { createWorld, done, person, verdict, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

function start(world: World, workId = "w1"): ReturnType<World["send"]> {
  return world.send({ type: "work.start", workId, owner: "node1", stopGrace: 5000 });
}

const asked = {
  sessionId: "main",
  workId: "w1",
  name: "revert",
  body: "what to revert",
  actor: person,
  queuedAt: 1000,
  started: null,
  ended: null,
};
const command = make.queueWork("w1", { name: "revert", body: "what to revert" });

test("M8 the row of an exclusive operation has its input and its result", () => {
  const world = createWorld();
  const queued = done(world.send(command));
  assert.deepEqual(queued.events.map(withoutEnvelope), [
    { type: "work.queued", workId: "w1", name: "revert", body: "what to revert" },
  ]);
  assert.deepEqual(queued.work, asked);
  assert.equal(world.ready(), "work");

  world.clock.now = 2000;
  const started = { ...asked, started: { owner: "node1", at: 2000 } };
  assert.deepEqual(done(start(world)).work, started);

  world.clock.now = 3000;
  const ended = done(world.send(make.endWork("w1", world.state().fence)));
  assert.deepEqual(ended.events.map(withoutEnvelope), [
    { type: "work.ended", workId: "w1", cause: "done", body: "result of w1" },
  ]);
  const row = { ...started, ended: { cause: "done", body: "result of w1", at: 3000 } };
  assert.deepEqual(ended.work, row);
  assert.deepEqual([world.ready(), world.state().queue, world.state().active], [null, [], null]);
});

test("P3 an operation that is queued again is the same one: waiting, active and after its end", () => {
  const world = createWorld();
  const again = (): unknown => {
    const { work, events } = done(world.send(command));
    assert.deepEqual(events, []);
    return work;
  };
  done(world.send(command));
  assert.deepEqual(again(), asked);
  const active = done(start(world)).work;
  assert.deepEqual(again(), active);
  const over = done(world.send(make.endWork("w1", 1))).work;
  assert.deepEqual(again(), over);
  assert.deepEqual([world.ready(), world.queue()], [null, []]);
});

test("P3 another operation under a used id is refused, even after its end", () => {
  const world = createWorld();
  done(world.send(command));
  const others = [
    { ...command, name: "compact" },
    { ...command, body: "something else" },
    { ...command, body: null },
  ];
  const refusals = (): string[] => others.map((other) => verdict(world.send(other)));
  assert.deepEqual(refusals(), ["conflict", "conflict", "conflict"]);
  done(start(world));
  done(world.send(make.endWork("w1", 1)));
  assert.deepEqual(refusals(), ["conflict", "conflict", "conflict"]);
});

test("P3 an operation that is queued twice in one batch is one operation", () => {
  const world = createWorld();
  const stamped = { sessionId: "main", actor: person, at: 1000 };
  const answers = transactAll(world.store, [
    { ...stamped, ...command },
    { ...stamped, ...command },
    { ...stamped, ...command, name: "compact" },
    { ...stamped, type: "work.start", workId: "w1", owner: "node1", stopGrace: 1 },
    { ...stamped, ...make.endWork("w1", 1) },
    { ...stamped, ...command },
  ]);
  assert.deepEqual(answers.map(verdict), ["done", "done", "conflict", "done", "done", "done"]);
  const ended = { cause: "done", body: "result of w1", at: 1000 };
  assert.deepEqual(done(answers[5] ?? assert.fail()).work, {
    ...asked,
    started: { owner: "node1", at: 1000 },
    ended,
  });
  // Stored data is found even after another command of the same batch.
  const [, later] = transactAll(world.store, [
    { ...stamped, ...make.accept("p1") },
    { ...stamped, ...command },
  ]);
  assert.deepEqual(done(later ?? assert.fail()).work?.ended, ended);
});

test("M8 a deleted session accepts no operation but still returns its earlier ones", () => {
  const world = createWorld();
  done(world.send(command));
  done(world.send({ type: "session.delete" }));
  const again = done(world.send(command));
  assert.deepEqual(again.work, { ...asked, ended: { cause: "deleted", body: null, at: 1000 } });
  assert.equal(verdict(world.send(make.queueWork("w2"))), "deleted");
  assert.equal(verdict(world.send({ ...command, body: null })), "conflict");
  assert.equal(verdict(start(world)), "deleted");
});

test("M8 a stopped operation keeps its owner's result; after enforcement it has none", () => {
  const world = createWorld();
  done(world.send(command));
  done(start(world));
  done(world.cancel("x1"));
  const told = done(world.send(make.endWork("w1", 1)));
  assert.deepEqual(told.work?.ended, { cause: "cancelled", body: "result of w1", at: 1000 });

  done(world.send(make.queueWork("w2")));
  done(start(world, "w2"));
  done(world.cancel("x2"));
  done(world.tick(5000));
  assert.equal(verdict(world.send(make.endWork("w2", 2))), "fenced");
  const enforced = done(world.send(make.queueWork("w2"))).work;
  assert.deepEqual(enforced?.ended, { cause: "enforced", body: null, at: 6000 });
});

test("M8 an operation of a dead process has ended, and is not started again if it is requested again", () => {
  const world = createWorld();
  done(world.send(command));
  done(start(world));
  world.lose("node1");
  done(world.takeover());
  const { work } = done(world.send(command));
  assert.deepEqual(work?.ended, { cause: "takeover", body: null, at: 1000 });
  assert.equal(world.ready(), null);
});

test("P5: the number of waiting operations is limited; the active one does not count", () => {
  const world = createWorld();
  for (let count = 0; count <= bounds.work; count += 1) {
    done(world.send(make.queueWork(`w${count}`)));
    if (count === 0) done(start(world, "w0"));
  }
  const full = world.send(make.queueWork("more"));
  assert(full.status === "refused");
  assert.deepEqual(
    { ...full.refusal, message: "" },
    { code: "queueFull", limit: bounds.work, message: "" },
  );
  // A repetition comes before the limit, and prompts have a limit of their own.
  assert.deepEqual(done(world.send(make.queueWork("w5"))).events, []);
  done(world.accept("p1"));
});

test("L4 M8 a revert can run on a lane that is held by a failure", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.end({ status: "failed", reason: "badKey" }, { retryAt: null }));
  done(world.send({ type: "hold.place", holdId: "h1", reason: "wait" }));
  assert.equal(world.ready(), null);
  done(world.send(command));
  assert.equal(world.ready(), "work");
  done(start(world));
  done(world.send(make.endWork("w1", 2)));
  assert.deepEqual(
    world.state().holds.map((hold) => hold.kind),
    ["failure", "person"],
  );
});

test("L3 on a held lane an operation keeps its place after a waiting prompt", () => {
  const world = createWorld();
  done(world.send({ type: "hold.place", holdId: "h1", reason: "wait" }));
  done(world.accept("p1"));
  done(world.send(command));
  assert.deepEqual([world.ready(), verdict(start(world))], [null, "outOfOrder"]);
  done(world.send({ type: "hold.release", target: { kind: "hold", holdId: "h1" } }));
  assert.equal(world.ready(), "start");
});

test("M8 a prompt and an operation can have the same id without confusion", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  done(world.send(make.queueWork("same")));
  done(world.accept("p2"));
  done(world.accept("same"));
  done(world.accept("p3"));
  // There is nothing to do, because the item is already at this position.
  assert.deepEqual(
    done(world.send({ type: "prompt.move", promptId: "same", before: "p3" })).events,
    [],
  );
  done(world.send({ type: "prompt.move", promptId: "same", before: "p2" }));
  const kinds = world.state().queue.map((item) => item.kind);
  assert.deepEqual(
    [world.queue(), kinds],
    [
      ["same", "same", "p2", "p3"],
      ["work", "prompt", "prompt", "prompt"],
    ],
  );
  done(world.send({ type: "prompt.promote", promptId: "same" }));
  assert.equal(world.state().queue[0]?.kind, "prompt");
});
