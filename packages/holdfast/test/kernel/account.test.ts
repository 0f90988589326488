import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOfAccounts } from "../../src/kernel/transaction.ts";
import type { AccountBatch } from "../../src/kernel/transaction.ts";
import { account, cost, family, outcome, startChild, takeStep, usage } from "./support/account.ts";
import { createWorld, done } from "./support/world.ts";

test("P6 a child's step is charged in its own commit to the prompt above it", () => {
  const { world, child } = family(cost(10));
  takeStep(child);
  takeStep(child);
  assert.deepEqual(account(world, "prompt:main/p1"), {
    id: "prompt:main/p1",
    carrier: { sessionId: "main", promptId: "p1" },
    spent: { inputTokens: 12, outputTokens: 8, cost: 4 },
    limit: cost(10),
    raise: cost(10),
    onBudget: "fail",
    ask: null,
    waiting: [],
  });
  assert.deepEqual(world.run().usage, { inputTokens: 0, outputTokens: 0, cost: 0 });
});

test("P6 a child starts no step once the prompt above it has spent its budget", () => {
  const { world, child } = family(cost(4));
  takeStep(child);
  takeStep(child);
  done(child.boundary());
  assert.equal(outcome(child, "k-child"), "failed: budget");
  done(world.endTool("call", "failed"));
  done(world.boundary());
  assert.equal(outcome(world, "p1"), "failed: budget");
  assert.deepEqual(world.state().usage.cost, 4);
});

test("P6 children of one prompt share its budget: each exceeds it by one step at most", () => {
  const { world, child } = family(cost(3));
  const other = startChild(world, "other", { background: true })(world);
  done(child.boundary());
  done(other.boundary());
  done(child.answer([], { usage }));
  done(other.answer([], { usage }));
  for (const session of [child, other]) done(session.boundary());
  assert.deepEqual(
    [outcome(child, "k-child"), outcome(other, "k-other")],
    ["failed: budget", "failed: budget"],
  );
  assert.equal(account(world, "prompt:main/p1").spent.cost, 4);
});

test("P6 a prompt's budget limits its background child after its own run has ended", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(4) }));
  done(world.start("r1"));
  takeStep(world);
  const child = startChild(world, "child", { background: true })(world);
  done(world.end());
  takeStep(child);
  done(child.boundary());
  assert.equal(outcome(child, "k-child"), "failed: budget");
});

test("P6 a run started by a background result is charged to the prompt that caused it", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(3) }));
  done(world.start("r1"));
  takeStep(world);
  const child = startChild(world, "child", { background: true })(world);
  done(world.end());
  takeStep(child);
  done(child.end());
  done(world.start("r2"));
  done(world.boundary());
  assert.equal(outcome(world, "result:k-child"), "failed: budget");
});

test("P6 a session's budget limits the descendants of all its runs", () => {
  const world = createWorld();
  const root = world.session("root");
  done(root.create({ budget: cost(5) }));
  done(root.accept("p1"));
  done(root.start("r1"));
  takeStep(root);
  const child = startChild(root, "child", { background: true })(world);
  done(root.end());
  takeStep(child);
  takeStep(child);
  done(child.boundary());
  assert.equal(outcome(child, "k-child"), "failed: budget");
  assert.deepEqual(account(world, "session:root").spent.cost, 6);
});

test("P6 an account includes usage from before accounts existed", () => {
  const world = createWorld();
  const root = world.session("root");
  done(root.create({ budget: cost(5) }));
  for (const promptId of ["p1", "p2"]) done(root.accept(promptId));
  done(root.start("r1"));
  takeStep(root);
  done(root.end());
  world.store.accounts.clear();
  done(root.start("r2"));
  assert.equal(account(world, "session:root").spent.cost, 2);
});

test("P6 accounts are written in the order of their ids, so that transactions cannot deadlock", () => {
  const { world } = family(cost(10));
  const known = account(world, "prompt:main/p1");
  const accounts = new Map(
    ["c", "a", "b"].map((id): [string, AccountBatch] => {
      const changed = { ...known, id };
      return [
        id,
        { account: changed, change: { account: changed, charge: usage, isChargeOnly: true } },
      ];
    }),
  );
  const written = changesOfAccounts({ accounts }).map((change) => change.account.id);
  assert.deepEqual(written, ["a", "b", "c"]);
});
