import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { evolve } from "../../src/kernel/evolve.ts";
import { activeRun } from "../../src/kernel/state.ts";
import type { LaneState, Tries } from "../../src/kernel/state.ts";
import { createWorld, done } from "./support/world.ts";

/**
 * Creates the log of a run with takeovers, with and without work between them, a handover, and a takeover during an
 * ask.
 */
function longRun(): readonly LaneEvent[] {
  const world = createWorld();
  const crash = (): void => {
    const { owner } = world.run();
    assert(owner !== null);
    world.lose(owner);
    world.join(`${owner}x`);
    done(world.takeover({ owner: `${owner}x` }));
  };
  world.accept("first");
  world.start("run1");
  crash();
  crash();
  world.boundary();
  world.answer(["call"]);
  crash();
  world.handOver();
  done(world.takeover());
  world.ask("ask1", { callId: "call" });
  crash();
  world.handOver();
  return world.events();
}

function triesAfterEach(log: readonly LaneEvent[]): (Tries | undefined)[] {
  let state: LaneState | null = null;
  return log.map((event) => {
    state = evolve(state, event);
    return activeRun(state)?.tries;
  });
}

test("R3 a log of 0.1.0, whose events have no count, gives the same counts", () => {
  const log = longRun();
  const old = log.map((event): LaneEvent => {
    if (event.type !== "run.resumed" && event.type !== "run.handedOver") return event;
    assert.ok(event.tries, `${event.type} carries its count`);
    const { tries: _, ...rest } = event;
    return rest;
  });
  assert.deepEqual(triesAfterEach(old), triesAfterEach(log));
  assert.deepEqual(triesAfterEach(log).at(-1), { total: 4, sinceStep: 0 });
});

test("R3 evolve uses the count in the event", () => {
  const tries = { total: 7, sinceStep: 2 };
  for (const type of ["run.resumed", "run.handedOver"] as const) {
    const log = longRun();
    const place = log.findIndex((event) => event.type === type);
    const changed = log
      .slice(0, place + 1)
      .map((event): LaneEvent => (event.type === type ? { ...event, tries } : event));
    assert.deepEqual(triesAfterEach(changed).at(-1), tries);
  }
});
