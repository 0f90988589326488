import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHistory } from "./support/check-history.ts";
import { createWorld, done, verdict, withoutEnvelope } from "./support/world.ts";
import type { World } from "./support/world.ts";

function setAgent(world: World, agent: string | null): object[] {
  return done(world.send({ type: "session.setAgent", agent })).events.map(withoutEnvelope);
}

test("a client sets and resets the agent of a session, and repeating the agent writes no event", () => {
  const world = createWorld();
  assert.equal(world.state().agent, null);
  const events = [null, "planner", "planner", null].flatMap((agent) => setAgent(world, agent));
  assert.deepEqual(events, [
    { type: "session.agentSet", agent: "planner" },
    { type: "session.agentSet", agent: null },
  ]);
  assert.equal(world.state().agent, null);
  setAgent(world, "planner");
  assert.equal(world.state().agent, "planner");
  assert.deepEqual(checkHistory(world.events()), []);
});

test("a session is created with an agent, and repeating the creation does not set the agent again (P3)", () => {
  const other = createWorld().session("other");
  const fields = { agent: "planner" };
  const { events } = done(other.create(fields));
  assert.deepEqual(events.map(withoutEnvelope)[0]?.["agent"], "planner");
  assert.equal(other.state().agent, "planner");
  done(other.send({ type: "session.setAgent", agent: null }));
  assert.deepEqual(done(other.create(fields)).events, []);
  assert.equal(other.state().agent, null);
});

test("a session that is created without an agent has no agent in its log", () => {
  const world = createWorld();
  done(world.session("other").create({ agent: null }));
  for (const sessionId of ["main", "other"]) {
    const [created] = world.session(sessionId).events();
    assert.equal("agent" in (created ?? {}), false);
  }
});

test("the agent of a deleted session, an invalid name and an agent set by a run are refused", () => {
  const world = createWorld();
  const actor = { kind: "run", id: "r1" };
  const invalid = [
    { agent: "planner", actor },
    {},
    ...["", " ", "two\nlines", "x".repeat(201), 7].map((agent) => ({ agent })),
  ];
  for (const fields of invalid) {
    const command = JSON.parse(JSON.stringify({ type: "session.setAgent", ...fields }));
    assert.equal(verdict(world.send(command)), "invalid", JSON.stringify(fields));
  }
  assert.equal(verdict(world.session("other").create({ agent: "two\nlines" })), "invalid");
  setAgent(world, "x".repeat(200));
  setAgent(world, null);
  done(world.send({ type: "session.delete" }));
  assert.equal(verdict(world.send({ type: "session.setAgent", agent: "planner" })), "deleted");
  assert.equal(world.state().agent, null);
});

test("a run keeps the agent that its session had at its start, even after a takeover", () => {
  const world = createWorld();
  done(world.accept("p1"));
  setAgent(world, "planner");
  done(world.start("run1"));
  setAgent(world, "builder");
  assert.deepEqual([world.run().agent, world.state().agent], ["planner", "builder"]);
  world.lose("node1");
  done(world.takeover());
  assert.equal(world.run().agent, "planner");
  assert.deepEqual(checkHistory(world.events()), []);
});
