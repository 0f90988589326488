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
import * as make from "./support/commands.ts";
import { transactAll } from "./support/memory-store.ts";
import { createWorld, done, person, verdict } from "./support/world.ts";

test("P6 a spent budget opens one ask for all waiting runs, on the run whose prompt has the budget", () => {
  const { world, child } = family(cost(4), "ask");
  const other = startChild(world, "other")(world);
  takeStep(child);
  takeStep(other);
  done(child.boundary());
  done(other.boundary());
  assert.deepEqual([child.run().waitsFor, other.run().waitsFor], Array(2).fill("prompt:main/p1"));
  assert.deepEqual([child.run().asks, other.run().asks], [[], []]);
  const askId = openAsk(world);
  assert.equal(world.run().asks.length, 1);
  const budget = {
    accountId: "prompt:main/p1",
    spent: { ...usage, cost: 4, inputTokens: 12, outputTokens: 8 },
  };
  assert.deepEqual(world.askRow(askId).budget, { ...budget, limit: cost(4), raise: cost(4) });
  assert.equal(child.types().includes("step.opened"), true);
});

test("P6 R4 a yes raises the limit and lets every waiting run continue, in the same commit", () => {
  const { world, child } = family(cost(2), "ask");
  const other = startChild(world, "other")(world);
  takeStep(child);
  for (const session of [child, other]) done(session.boundary());
  done(world.answerAsk(openAsk(world)));
  assert.deepEqual([child.run().waitsFor, other.run().waitsFor], [null, null]);
  const { limit, ask, waiting, onBudget } = account(world, "prompt:main/p1");
  assert.deepEqual(
    { limit, ask, waiting, onBudget },
    { limit: cost(4), ask: null, waiting: [], onBudget: "ask" },
  );
  takeStep(other);
  done(child.boundary());
  assert.equal(child.run().waitsFor, "prompt:main/p1", "4 of 4 are used: it asks again");
  assert.equal(world.run().asks.length, 1);
});

test("P6 a raise and a charge in one batch both count", () => {
  const { world, child } = family(cost(2), "ask");
  const other = startChild(world, "other")(world);
  done(other.boundary());
  takeStep(child);
  done(child.boundary());
  const answer = { type: "ask.answer", askId: openAsk(world), verdict: "allow" } as const;
  const raise = { sessionId: "main", ...answer, body: null };
  const step = { sessionId: "other", ...make.answerStep(other.handle(), [], { usage }) };
  const { now } = world.clock;
  const commands = [raise, step].map((data) => ({ actor: person, at: now, ...data }));
  assert.deepEqual(transactAll(world.store, commands).map(verdict), ["done", "done"]);
  const { limit, spent } = account(world, "prompt:main/p1");
  assert.deepEqual([limit, spent.cost], [cost(4), 4]);
});

test("P6 an answer may name another amount, but only to the ask of a budget", () => {
  const { world, child } = family({ tokens: 10, cost: null }, "ask");
  takeStep(child);
  done(child.boundary());
  const askId = openAsk(world);
  const answer = { type: "ask.answer", askId, verdict: "allow", body: null } as const;
  assert.equal(verdict(world.send({ ...answer, raise: { tokens: -1, cost: null } })), "invalid");
  done(world.send({ ...answer, raise: { tokens: 5, cost: 3 } }));
  assert.deepEqual(account(world, "prompt:main/p1").limit, { tokens: 15, cost: null });
  const resolution = {
    kind: "answered",
    verdict: "allow",
    body: null,
    raise: { tokens: 5, cost: 3 },
  };
  assert.deepEqual(world.askRow(askId).closed?.resolution, resolution);
  done(child.boundary());
  done(child.answer(["deed"], { usage }));
  done(child.ask("plain", { callId: "deed" }));
  const plain = { ...answer, askId: "plain", raise: { tokens: 5, cost: null } } as const;
  assert.equal(verdict(child.send(plain)), "invalid");
});

for (const how of ["no", "expiry"] as const) {
  test(`P6 the ask's ${how} fails the whole tree: waiting and later runs`, () => {
    const world = createWorld();
    done(world.accept("p1", { budget: cost(2), onBudget: "ask" }));
    done(world.start("r1", { askTime: 1000 }));
    takeStep(world);
    const child = startChild(world, "child", { background: true })(world);
    const later = startChild(world, "later", { background: true })(world);
    done(child.boundary());
    if (how === "no") done(world.answerAsk(openAsk(world), "deny"));
    else done(world.tick(1000));
    assert.equal(world.run().asks.length, 0);
    assert.equal(child.run().waitsFor, null);
    for (const session of [child, later, world]) done(session.boundary());
    assert.deepEqual(
      [outcome(child, "k-child"), outcome(later, "k-later"), outcome(world, "p1")],
      Array(3).fill("failed: budget"),
    );
  });
}

test("P6 if the run whose prompt has the budget has ended, the run that reached the limit asks", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(2), onBudget: "ask" }));
  done(world.start("r1"));
  takeStep(world);
  const child = startChild(world, "child", { background: true })(world);
  const other = startChild(world, "other", { background: true })(world);
  done(world.end());
  done(child.boundary());
  done(other.boundary());
  assert.equal(other.run().asks.length, 0);
  done(child.answerAsk(openAsk(child)));
  assert.equal(other.run().waitsFor, null);
  done(other.boundary());
  assert.equal(other.run().stage, "model");
});

test("P6 after that run has ended, no other run of its session asks", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(2), onBudget: "ask" }));
  done(world.start("r1"));
  takeStep(world);
  const child = startChild(world, "child", { background: true })(world);
  done(world.end());
  done(world.accept("p2"));
  done(world.start("r2"));
  done(child.boundary());
  assert.match(openAsk(child), /^budget:/);
  assert.deepEqual(world.run().asks, []);
});

test("P6 a session's budget asks on any active run of the session", () => {
  const world = createWorld();
  const root = world.session("root");
  done(root.create({ budget: cost(2), onBudget: "ask" }));
  for (const promptId of ["p1", "p2"]) done(root.accept(promptId));
  done(root.start("r1"));
  takeStep(root);
  const child = startChild(root, "child", { background: true })(world);
  done(root.end());
  done(root.start("r2"));
  done(child.boundary());
  assert.match(openAsk(root), /^budget:/);
  assert.deepEqual(child.run().asks, []);
});

test("P6 if the session that has the budget is deleted, the run that reached the limit asks", () => {
  const { world } = family(cost(2), "ask");
  const far = startChild(world, "far", { background: true })(world);
  takeStep(far);
  done(world.send({ type: "session.delete" }));
  done(far.boundary());
  assert.match(openAsk(far), /^budget:/);
});

test("P6 a cancel of the asking run withdraws its ask and passes it to a waiting run", () => {
  const { world, child } = family(cost(2), "ask");
  const far = startChild(world, "far", { background: true })(world);
  takeStep(child);
  done(child.boundary());
  done(far.boundary());
  const askId = openAsk(world);
  done(world.cancel("c1"));
  assert.equal(world.askRow(askId).closed?.resolution.kind, "withdrawn");
  const { ask, waiting } = account(world, "prompt:main/p1");
  assert.deepEqual(ask, { sessionId: "far", runId: "r-far", askId: openAsk(far) });
  assert.deepEqual(waiting, [{ sessionId: "far", runId: "r-far" }]);
  done(far.answerAsk(openAsk(far)));
  done(far.boundary());
  assert.equal(far.run().stage, "model");
});

test("P6 a cancel of the last waiting run leaves no ask and no waiting run", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  done(world.cancel("c1"));
  done(child.end());
  done(world.end());
  const { ask, waiting } = account(world, "prompt:main/p1");
  assert.deepEqual({ ask, waiting }, { ask: null, waiting: [] });
  assert.equal(outcome(world, "p1"), "cancelled: sessionCancel");
});

test("P6 R4 an answer after the cancel is refused, and the limit stays", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  const askId = openAsk(world);
  done(world.cancel("c1"));
  assert.equal(verdict(world.answerAsk(askId)), "askClosed");
  assert.deepEqual(account(world, "prompt:main/p1").limit, cost(2));
});

test("P6 a cancel of a waiting run leaves the ask on the run whose prompt has the budget", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  const askId = openAsk(world);
  done(child.cancel("c1"));
  assert.deepEqual(account(world, "prompt:main/p1").waiting, []);
  assert.equal(openAsk(world), askId);
});
