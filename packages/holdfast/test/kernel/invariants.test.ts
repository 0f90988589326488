import assert from "node:assert/strict";
import { test } from "node:test";
import { checkState } from "../../src/kernel/invariants.ts";
import type { Run, ToolCall } from "../../src/kernel/state.ts";
import { createWorld, done } from "./support/world.ts";
import type { World } from "./support/world.ts";

// States of hosted agents, valid ones and broken ones. Random commands and the explorer check the other invariants.

test("R4 an ask within an open call is valid, an ask within another call is not", () => {
  const world = hosting();
  done(world.ask("question", { callId: null, within: "turn" }));
  assert.deepEqual(checkState(world.state()), []);
  const [ask] = world.run().asks;
  assert(ask !== undefined);
  const problems = checkRun(world, { asks: [{ ...ask, within: "ended" }] });
  assert.deepEqual(problems, ["R4: an ask belongs to a call that has ended"]);
});

test("T1 only a hosted agent's calls are open while the agent opens a step", () => {
  const world = hosting();
  done(world.send({ type: "run.boundary", handle: world.handle(), within: "turn", takes: [] }));
  assert.equal(world.run().stage, "model");
  const check = (call: Partial<ToolCall>): boolean => {
    const open = {
      callId: "open",
      repeatable: true,
      started: false,
      gate: "open",
      ...call,
    } as const;
    return checkRun(world, { tools: [open] }).length === 0;
  };
  assert.deepEqual(
    [
      check({ started: true, repeatable: false }),
      check({ seen: true }),
      check({ started: true, repeatable: true }),
      check({ started: false, repeatable: false }),
      check({}),
    ],
    [true, true, false, false, false],
  );
});

/** A run in which the call `turn` of a hosted agent is active. */
function hosting(): World {
  const world = createWorld();
  done(world.accept("prompt"));
  done(world.start("run"));
  done(world.boundary());
  done(world.answer(["turn"]));
  done(world.startTool("turn"));
  return world;
}

/** Problems of the state after a change of its active run. */
function checkRun(world: World, change: Partial<Run>): string[] {
  return checkState({ ...world.state(), active: { ...world.run(), ...change } });
}
