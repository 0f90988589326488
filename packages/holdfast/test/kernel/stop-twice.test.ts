import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopeInput } from "./support/commands.ts";
import { createWorld, done, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

/** Run r1 of p1, with the steer s1 taken in. */
function steeredRun(): World {
  const world = createWorld();
  done(world.accept("p1", { maxRunTime: 1000 }));
  done(world.start("r1"));
  done(world.accept("s1", { delivery: "steer" }));
  done(world.boundary());
  return world;
}

/** The outcomes of p1 and s1 if the run is stopped with each scope, one after the other. */
function stopBy(world: World, ...scopes: ((world: World) => ScopeInput)[]): string[] {
  for (const [index, scope] of scopes.entries()) done(world.cancel(`x${index}`, scope(world)));
  done(world.end());
  return ["p1", "s1"].map((promptId) => {
    const { status, outcome } = world.row(promptId);
    return outcome === null ? status : `${outcome.status}: ${outcome.reason}`;
  });
}

const upToFirst = (world: World): ScopeInput => ({ upTo: world.row("p1").acceptSeq });
const everything = (): ScopeInput => ({});
const starter = (): ScopeInput => ({ kind: "prompt", promptId: "p1" });

test("C1 a prompt above the only mark stays unsettled", () => {
  const ends = ["cancelled: sessionCancel", "queued"];
  assert.deepEqual(stopBy(steeredRun(), upToFirst), ends);
  assert.deepEqual(stopBy(steeredRun(), upToFirst, upToFirst), ends);
});

test("C1 C2 a second cancel extends the coverage of the first, and never reduces it", () => {
  const bySession = ["cancelled: sessionCancel", "cancelled: sessionCancel"];
  assert.deepEqual(stopBy(steeredRun(), upToFirst, everything), bySession);
  assert.deepEqual(stopBy(steeredRun(), everything, upToFirst), bySession);
  assert.deepEqual(stopBy(steeredRun(), upToFirst, starter), bySession);
  const byPrompt = ["cancelled: promptCancel", "cancelled: promptCancel"];
  assert.deepEqual(stopBy(steeredRun(), starter, upToFirst), byPrompt);
});

test("C5 a second stop does not extend the grace time of the first", () => {
  const world = steeredRun();
  done(world.cancel("x1", upToFirst(world)));
  const { deadline } = stopping(world);
  world.clock.now += 3000;
  done(world.cancel("x2"));
  assert.equal(stopping(world).deadline, deadline);
});

test("C2 a cancel covers a run that already stops because of its time limit; the run ends cancelled", () => {
  const world = steeredRun();
  done(world.tick(1000));
  assert.equal(stopping(world).outcome.reason, "runTime");
  const ends = ["cancelled: sessionCancel", "cancelled: sessionCancel"];
  assert.deepEqual(stopBy(world, everything), ends);
});

test("C6 a cancel of the prompt that started such a run covers it too, and repeating it has no effect", () => {
  const world = steeredRun();
  done(world.tick(1000));
  done(world.cancel("x1", starter()));
  const again = done(world.cancel("x2", starter()));
  assert.deepEqual(
    again.events.map((event) => event.type),
    ["cancel.committed"],
  );
  assert.deepEqual(stopBy(world), ["cancelled: promptCancel", "cancelled: promptCancel"]);
});

test("C5 an answer that arrives while the run stops is kept and marked interrupted", () => {
  const world = steeredRun();
  done(world.cancel("x1"));
  const { events } = done(world.answer(["c1"], { body: "partial" }));
  const { runId, fence, attempt } = world.handle();
  const usage = { inputTokens: 0, outputTokens: 0, cost: 0 };
  const calls = [{ callId: "c1", name: "tool", repeatable: false }];
  const answered = { type: "step.answered", runId, step: 1, body: "partial", calls, usage };
  assert.deepEqual(events.map(withoutEnvelope), [
    { ...answered, interrupted: true, fence, attempt },
  ]);
});

test("C5 an answer that its owner cut off is marked interrupted, a complete one is not", () => {
  for (const interrupted of [true, false]) {
    const { events } = done(steeredRun().answer([], { interrupted }));
    assert.deepEqual(
      events.map((event) => event.type === "step.answered" && event.interrupted),
      [interrupted],
    );
  }
});

function stopping(world: World): { deadline: number; outcome: { reason: string | null } } {
  const { condition } = world.run();
  assert(condition.status === "stopping");
  return condition;
}
