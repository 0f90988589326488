import assert from "node:assert/strict";
import { test } from "node:test";
import {
  account,
  cost,
  family,
  openAsk,
  outcome,
  startChild,
  takeStep,
  usage,
} from "./support/account.ts";
import { createWorld, done, verdict } from "./support/world.ts";

test("P6 a repeated boundary of a waiting run changes nothing", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  const before = [child.types().length, account(world, "prompt:main/p1")];
  done(child.boundary());
  assert.deepEqual([child.types().length, account(world, "prompt:main/p1")], before);
});

for (const whose of ["prompt", "run"] as const) {
  test(`P6 an existing account is not created again by the ${whose} that has its budget`, () => {
    const world = createWorld();
    const budget = cost(4);
    done(world.accept("p1", whose === "prompt" ? { budget } : {}));
    const id = "prompt:main/p1";
    const carrier = { sessionId: "main", promptId: "p1" };
    const none = { ask: null, waiting: [] };
    const known = { id, carrier, spent: usage, limit: budget, raise: budget, ...none };
    world.store.accounts.set(id, { ...known, onBudget: "fail" });
    done(world.start("r1", whose === "run" ? { budget } : {}));
    assert.equal(account(world, id).spent.cost, 2);
  });
}

test("P6 R1 a run that waits for its budget keeps waiting with the same ask after a takeover", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  const askId = openAsk(world);
  world.lose("node1");
  done(child.takeover());
  done(child.boundary());
  assert.equal(child.run().waitsFor, "prompt:main/p1");
  assert.equal(openAsk(world), askId);
  assert.equal(verdict(child.answer([], { usage })), "outOfOrder");
  done(world.answerAsk(askId));
  done(child.boundary());
  assert.equal(child.run().stage, "model");
});

test("P6 R3 crashes while a run waits for its budget do not count as attempts without a step", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  for (let count = 0; count < 4; count += 1) {
    const node = `late${count}`;
    world.lose(child.run().owner ?? "");
    world.join(node);
    done(child.takeover({ owner: node }));
    done(child.boundary());
  }
  assert.equal(child.run().waitsFor, "prompt:main/p1");
});

test("P6 a run with its own spent budget opens its own ask, even before its first step", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1", { budget: cost(0), onBudget: "ask", opensStep: true }));
  assert.equal(world.run().stage, "boundary");
  done(world.boundary());
  done(world.answerAsk(openAsk(world), "deny"));
  done(world.boundary());
  assert.equal(outcome(world, "p1"), "failed: budget");
});

test("P6 a prompt with its own budget decides whether to ask for more", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(5) }));
  done(world.start("r1", { budget: cost(9), onBudget: "ask" }));
  const { onBudget, limit } = account(world, "prompt:main/p1");
  assert.deepEqual({ onBudget, limit }, { onBudget: "fail", limit: cost(5) });
});

test("P6 of two spent accounts, one that fails the run takes precedence over one that asks", () => {
  const { world, child } = family(cost(2), "ask");
  const inner = startChild(child, "inner", { start: { budget: cost(2) } })(world);
  takeStep(inner);
  done(inner.boundary());
  assert.equal(outcome(inner, "k-inner"), "failed: budget");
});

test("P6 a run whose budget was raised is checked against the next account above it", () => {
  const { world, child } = family(cost(4), "ask");
  const start = { budget: cost(2), onBudget: "ask" } as const;
  const inner = startChild(child, "inner", { start })(world);
  takeStep(inner);
  done(inner.boundary());
  assert.equal(inner.run().waitsFor, "prompt:inner/k-inner");
  done(inner.answerAsk(openAsk(inner)));
  takeStep(inner);
  done(inner.boundary());
  assert.equal(inner.run().waitsFor, "prompt:inner/k-inner");
  done(inner.answerAsk(openAsk(inner)));
  done(inner.boundary());
  assert.equal(inner.run().waitsFor, "prompt:main/p1");
  assert.deepEqual(account(world, "prompt:inner/k-inner").waiting, []);
});

for (const how of ["allow", "deny", "expiry"] as const) {
  test(`P6 R1 after more than an hour ${how} ${how === "expiry" ? "releases no" : "releases every"} waiting run`, () => {
    const world = createWorld();
    done(world.accept("p1", { budget: cost(2), onBudget: "ask" }));
    done(world.start("r1", { askTime: 2 * 3_600_001 }));
    takeStep(world);
    const child = startChild(world, "child", { background: true })(world);
    for (const session of [world, child]) done(session.boundary());
    world.lose("node1");
    world.clock.now += 3_600_001;
    for (const session of [world, child]) done(session.takeover());
    assert.deepEqual([child.ready(), child.state().holds.length], [null, 1]);
    if (how === "expiry") done(world.tick(3_600_001));
    else done(world.answerAsk(openAsk(world), how));
    const expected = how === "expiry" ? [null, null] : ["takeOver", "takeOver"];
    assert.deepEqual([world.ready(), child.ready()], expected);
    if (how === "expiry") return;
    done(child.takeover({ owner: "node3" }));
    done(child.boundary());
    const end = how === "deny" ? "failed: budget" : "running";
    assert.equal(outcome(child, "k-child"), end);
  });
}

test("P6 a waiting run that reaches another spent account waits only for that one", () => {
  const { world, child } = family(cost(2), "ask");
  const start = { budget: cost(2), onBudget: "ask" } as const;
  const inner = startChild(world, "inner", { start })(world);
  const below = startChild(inner, "below", { background: true })(world);
  done(below.boundary());
  takeStep(child);
  done(inner.boundary());
  assert.equal(inner.run().waitsFor, "prompt:main/p1");
  done(below.answer([], { usage }));
  done(inner.boundary());
  assert.equal(inner.run().waitsFor, "prompt:inner/k-inner");
  assert.deepEqual(account(world, "prompt:main/p1").waiting, []);
});

test("P6 a run may end its step while the ask for its budget is open", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(2), onBudget: "ask" }));
  done(world.start("r1"));
  const child = startChild(world, "child", { background: true })(world);
  takeStep(child);
  done(child.boundary());
  openAsk(world);
  done(world.end());
  assert.equal(outcome(world, "p1"), "completed: null");
  assert.match(openAsk(child), /^budget:/);
});
