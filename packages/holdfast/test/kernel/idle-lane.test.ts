import assert from "node:assert/strict";
import { test } from "node:test";
import { anyIdleLane, isPlainPrompt, isPlainlyIdle } from "../../src/kernel/idle-lane.ts";
import { noUsage } from "../../src/kernel/state.ts";
import { createWorld, done } from "./support/world.ts";
import type { World } from "./support/world.ts";

// That a prompt comes to the same in all of these lanes is what the explorer checks.

test("a lane is plainly idle when it is open, not archived, and nothing is in it or holds it", () => {
  const cases: [name: string, prepare: (world: World) => unknown, isPlain: boolean][] = [
    ["new", () => {}, true],
    ["with a title", (world) => rename(world), true],
    ["archived", (world) => archive(world, true), false],
    ["brought back", (world) => [archive(world, true), archive(world, false)], true],
    ["with a prompt", (world) => done(world.accept("p")), false],
    ["running", (world) => [done(world.accept("p")), done(world.start("r"))], false],
    ["held", (world) => hold(world), false],
    ["deleted", (world) => done(world.send({ type: "session.delete" })), false],
  ];
  for (const [name, prepare, isPlain] of cases) {
    const world = createWorld();
    prepare(world);
    assert.equal(isPlainlyIdle(world.state()), isPlain, name);
  }
  assert.equal(isPlainlyIdle(anyIdleLane("s")), true);
});

test("C7: a child's result is no plain prompt, since it ends the wait for the child", () => {
  const [plain] = done(createWorld().accept("p")).events;
  assert(plain?.type === "prompt.accepted");
  assert.equal(isPlainPrompt(plain), true);
  const outcome = { status: "completed", reason: null, runId: "r", result: null } as const;
  const resultOf = { sessionId: "child", promptId: "q", outcome, usage: noUsage };
  assert.equal(isPlainPrompt({ ...plain, resultOf }), false);
  const [other] = done(hold(createWorld())).events;
  assert(other !== undefined);
  assert.equal(isPlainPrompt(other), false);
});

function rename(world: World): unknown {
  return done(world.send({ type: "session.rename", title: "A title", auto: false }));
}

function archive(world: World, archived: boolean): unknown {
  return done(world.send({ type: "session.archive", archived }));
}

function hold(world: World): ReturnType<World["accept"]> {
  return world.send({ type: "hold.place", holdId: "h", reason: "wait" });
}
