import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { evolve } from "../../src/kernel/evolve.ts";
import { activeRun } from "../../src/kernel/state.ts";
import type { LaneState } from "../../src/kernel/state.ts";
import { createWorld, done } from "./support/world.ts";
import type { World } from "./support/world.ts";

function running(): World {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1"));
  return world;
}

/** The run's process has ended, and the run waits for a person. */
function interrupted(): World {
  const world = running();
  world.lose("node1");
  done(world.takeover({ recovery: "hold" }));
  return world;
}

/** The run waits at a spending cap. */
function capped(): World {
  const world = running();
  const caps = { day: { tokens: null, cost: 1 } };
  const usage = { inputTokens: 1, outputTokens: 1, cost: 2 };
  done(world.boundary());
  done(world.answer([], { usage, caps }));
  done(world.send({ type: "run.boundary", handle: world.handle(), caps }));
  return world;
}

/** The run has failed with a failure hold, and waits for the end of its child. */
function closing(): World {
  const world = running();
  const child = world.session("child");
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k1" }, { create }));
  done(child.accept("k1", { parent: { sessionId: "main", runId: "r1", background: false } }));
  done(child.start("r2"));
  done(world.end({ status: "failed", reason: "badKey" }, { retryAt: null }));
  return world;
}

function paused(world: World): World {
  done(world.send({ type: "hold.place", holdId: "h1", reason: "lunch" }));
  return world;
}

function release(world: World, holdId: string): World {
  done(world.send({ type: "hold.release", target: { kind: "hold", holdId } }));
  return world;
}

function refresh(world: World): World {
  done(world.send({ type: "hold.release", target: { kind: "refresh" } }));
  return world;
}

/** Worlds after the release of one hold, with the expected `resumesRun` of its event. */
const releases: readonly [name: string, world: () => World, resumesRun: boolean][] = [
  ["a recovery hold", () => release(interrupted(), "recovery:r1"), true],
  ["the hold of a run at a cap", () => refresh(capped()), true],
  ["a person's hold on a run", () => release(paused(running()), "h1"), false],
  ["a person's hold on an interrupted run", () => release(paused(interrupted()), "h1"), false],
  ["the failure hold of a run that waits for its child", () => refresh(closing()), false],
  ["a person's hold on an idle session", () => release(paused(createWorld()), "h1"), false],
];

function fold(log: readonly LaneEvent[]): LaneState {
  const state = log.reduce<LaneState | null>(evolve, null);
  assert(state !== null, "the log is not empty");
  return state;
}

for (const [name, world, resumesRun] of releases) {
  test(`R1 decide records whether the run resumes after the release of ${name}`, () => {
    const session = world();
    const event = session.events().at(-1);
    assert(event?.type === "hold.released");
    assert.equal(event.resumesRun, resumesRun);
    assert.deepEqual(fold(session.events()), session.state());
    assert.equal(activeRun(session.state())?.released ?? false, resumesRun);
  });

  test(`R1 a log of 0.1.0 gives the same state after the release of ${name}`, () => {
    const session = world();
    const old = session.events().map((event): LaneEvent => {
      if (event.type !== "hold.released") return event;
      const { resumesRun: _, ...rest } = event;
      return rest;
    });
    assert.deepEqual(fold(old), session.state());
  });
}

test("R1 evolve uses the decision in the event", () => {
  for (const [, world, resumesRun] of releases) {
    const session = world();
    const changed = session
      .events()
      .map((event): LaneEvent =>
        event.type === "hold.released" ? { ...event, resumesRun: !resumesRun } : event,
      );
    const released = activeRun(session.state()) !== null && !resumesRun;
    assert.equal(activeRun(fold(changed))?.released ?? false, released);
  }
});
