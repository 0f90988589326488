import assert from "node:assert/strict";
import { test } from "node:test";
import { accountsOfRun } from "../../src/kernel/account.ts";
import type { Budget } from "../../src/kernel/state.ts";
import { createWorld, done } from "./support/world.ts";
import type { Session } from "./support/world.ts";

// Each run below has one step with 6 + 4 tokens and a cost of 2.
const usage = { inputTokens: 6, outputTokens: 4, cost: 2 };

function takeStep(session: Session): void {
  done(session.boundary());
  done(session.answer([], { usage }));
}

/** Returns whether the run may start a second step, or ends because of its budget. */
function secondStep(session: Session, promptId: string): string {
  takeStep(session);
  done(session.boundary());
  const { outcome, status } = session.row(promptId);
  return outcome === null ? status : `${outcome.status}: ${outcome.reason}`;
}

const cases: [budget: Budget, result: string][] = [
  [{ tokens: 10, cost: null }, "failed: budget"],
  [{ tokens: 11, cost: null }, "running"],
  [{ tokens: null, cost: 2 }, "failed: budget"],
  [{ tokens: null, cost: 2.5 }, "running"],
  [{ tokens: 11, cost: 2 }, "failed: budget"],
  [{ tokens: 10, cost: 3 }, "failed: budget"],
  [{ tokens: 11, cost: 3 }, "running"],
  [{ tokens: null, cost: null }, "running"],
];

for (const [budget, result] of cases) {
  const name = `P6 after 10 tokens at a cost of 2, ${JSON.stringify(budget)} gives ${result}`;
  test(`${name}, on the prompt, the run and the session alike`, () => {
    const ofPrompt = createWorld();
    done(ofPrompt.accept("p1", { budget }));
    done(ofPrompt.start());
    const ofRun = createWorld();
    done(ofRun.accept("p1"));
    done(ofRun.start("r1", { budget }));
    const ofSession = createWorld().session("frugal");
    done(ofSession.create({ budget }));
    done(ofSession.accept("p1"));
    done(ofSession.start());
    const results = [ofPrompt, ofRun, ofSession].map((session) => secondStep(session, "p1"));
    assert.deepEqual(results, [result, result, result]);
  });
}

test("P6 the smaller of the prompt's and the run's budget counts, separately for tokens and cost", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: { tokens: 5, cost: null } }));
  done(world.start("r1", { budget: { tokens: 50, cost: 7 } }));
  assert.deepEqual(world.run().limits.budget, { tokens: 5, cost: 7 });
  const other = createWorld();
  done(other.accept("p1", { budget: { tokens: null, cost: 9 } }));
  done(other.start("r1", { budget: { tokens: 50, cost: 7 } }));
  assert.deepEqual(other.run().limits.budget, { tokens: 50, cost: 7 });
});

test("P6 what a session's earlier runs used counts, and each later run fails before its first step", () => {
  const session = createWorld().session("frugal");
  done(session.create({ budget: { tokens: 15, cost: null } }));
  for (const promptId of ["p1", "p2", "p3"]) done(session.accept(promptId));
  done(session.start("r1"));
  takeStep(session);
  done(session.end());
  assert.deepEqual(session.state().usage, usage);
  done(session.start("r2"));
  assert.equal(secondStep(session, "p2"), "failed: budget");
  done(session.start("r3"));
  done(session.boundary());
  const outcome = { status: "failed", reason: "budget", runId: "r3", result: null };
  assert.deepEqual(session.row("p3").outcome, outcome);
});

test("P6 what a child used counts against its parent's run and session", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: { tokens: 10, cost: null } }));
  done(world.start("r1"));
  const child = world.session("child");
  const create = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k1" }, { create }));
  const parent = { sessionId: "main", runId: "r1", background: false };
  done(child.accept("k1", { parent, accounts: accountsOfRun(world.state(), world.run()) }));
  done(child.start());
  takeStep(child);
  done(child.end());
  assert.deepEqual(world.run().usage, usage);
  done(world.boundary());
  assert.equal(world.row("p1").outcome?.reason, "budget");
  assert.deepEqual(world.state().usage, usage);
});

test("P6 L6 a run without budget left completes and leaves its steers to the next run", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: { tokens: 10, cost: null } }));
  done(world.start("r1"));
  takeStep(world);
  done(world.accept("s1", { delivery: "steer" }));
  done(world.end());
  assert.equal(world.row("p1").outcome?.status, "completed");
  assert.deepEqual([world.queue(), world.ready()], [["s1"], "start"]);
});
