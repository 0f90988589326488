import assert from "node:assert/strict";
import { test } from "node:test";
import { effectiveMode } from "../../src/kernel/session-mode.ts";
import type { SessionMode } from "../../src/kernel/state.ts";
import { createWorld, done, verdict, withoutEnvelope } from "./support/world.ts";

test("a client sets the mode of a session, and repeating the mode writes no event", () => {
  const world = createWorld();
  assert.equal(world.state().mode, null);
  const events = (["plan", "plan", "ask"] as const).flatMap(
    (mode) => done(world.send({ type: "session.setMode", mode })).events,
  );
  assert.deepEqual(events.map(withoutEnvelope), [
    { type: "session.modeSet", mode: "plan" },
    { type: "session.modeSet", mode: "ask" },
  ]);
  assert.equal(world.state().mode, "ask");
});

test("the mode of a deleted session, an unknown mode and a mode set by a run are refused", () => {
  const world = createWorld();
  const actor = { kind: "run", id: "r1" };
  for (const fields of [{ mode: "ask", actor }, { mode: "any" }]) {
    const command = JSON.parse(JSON.stringify({ type: "session.setMode", ...fields }));
    assert.equal(verdict(world.send(command)), "invalid");
  }
  done(world.send({ type: "session.delete" }));
  assert.equal(verdict(world.send({ type: "session.setMode", mode: "plan" })), "deleted");
  assert.equal(world.state().mode, null);
});

test("a session uses the nearest chosen mode, and plan mode of any parent wins", () => {
  const cases: [chosen: (SessionMode | null)[], mode: SessionMode][] = [
    [[null], "ask"],
    [["acceptEdits"], "acceptEdits"],
    [[null, "acceptEdits"], "acceptEdits"],
    [["ask", "acceptEdits"], "ask"],
    [["acceptEdits", null, "plan"], "plan"],
    [["plan", "acceptEdits"], "plan"],
  ];
  for (const [chosen, mode] of cases) assert.equal(effectiveMode(chosen), mode, String(chosen));
});
