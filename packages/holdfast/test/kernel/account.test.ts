import assert from "node:assert/strict";
import { test } from "node:test";
import { accountsOfRun } from "../../src/kernel/account.ts";
import type { Account } from "../../src/kernel/account.ts";
import type { Budget } from "../../src/kernel/state.ts";
import type { Fields } from "./support/commands.ts";
import { createWorld, done, verdict } from "./support/world.ts";
import type { Session, World } from "./support/world.ts";

// Each step costs 2 and takes 10 tokens.
const usage = { inputTokens: 6, outputTokens: 4, cost: 2 };
const cost = (amount: number): Budget => ({ tokens: null, cost: amount });

function takeStep(session: Session): void {
  done(session.boundary());
  done(session.answer([], { usage }));
}

/** A run of the parent session starts a child prompt, which starts a run of its own. */
function startChild(
  parent: Session,
  name: string,
  fields: { background?: boolean; start?: Fields<"run.start"> } = {},
): (world: World) => Session {
  const { background = false, start = {} } = fields;
  return (world) => {
    const child = world.session(name);
    const create = { contentHash: "created", directory: "/project" };
    done(parent.link({ sessionId: name, promptId: `k-${name}` }, { create, background }));
    const { runId } = parent.run();
    const link = { sessionId: parent.sessionId, runId, background };
    const accounts = accountsOfRun(parent.state(), parent.run());
    done(child.accept(`k-${name}`, { parent: link, accounts }));
    done(child.start(`r-${name}`, start));
    return child;
  };
}

/** A parent with a budget, in its first step, with one open child. */
function family(
  budget: Budget,
  onBudget: "fail" | "ask" = "fail",
): { world: World; child: Session } {
  const world = createWorld();
  done(world.accept("p1", { budget, onBudget }));
  done(world.start("r1"));
  done(world.boundary());
  done(world.answer(["call"]));
  done(world.startTool("call"));
  return { world, child: startChild(world, "child")(world) };
}

function account(world: World, id: string): Account {
  const found = world.store.accounts.get(id);
  assert(found !== undefined, `account ${id} exists`);
  return found;
}

function openAsk(session: Session): string {
  const ask = session.run().asks.find(({ accountId }) => accountId !== undefined);
  assert(ask !== undefined, "an ask for a higher limit is open");
  return ask.askId;
}

const outcome = (session: Session, promptId: string): string => {
  const row = session.row(promptId);
  return row.outcome === null ? row.status : `${row.outcome.status}: ${row.outcome.reason}`;
};

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

test("P6 children of one prompt share its budget: each overshoots by one step at most", () => {
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

test("P6 a prompt's budget bounds its background child after its own run has ended", () => {
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

test("P6 the run that a background result wakes is charged to the prompt that caused it", () => {
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

test("P6 a session's budget bounds the descendants of all its runs", () => {
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

test("P6 an account counts what an older program used before there were accounts", () => {
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

test("P6 a spent budget that asks opens one ask, on the run that carries it, for all that wait", () => {
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

test("P6 R4 a yes raises the limit and wakes every run that waits, in the answer's own commit", () => {
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

test("P6 an answer may name another amount, and only the ask of a budget takes one", () => {
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
  test(`P6 the ask's ${how} fails the tree, what waits and what comes later`, () => {
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

test("P6 if the run that carries the budget has ended, the run that met the limit asks", () => {
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

test("P6 another run of the session whose run carried the budget is not asked", () => {
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

test("P6 for a session's budget whatever run the session has is asked", () => {
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

test("P6 a session that was made into a carrier and deleted leaves the ask to the run that met the limit", () => {
  const { world } = family(cost(2), "ask");
  const far = startChild(world, "far", { background: true })(world);
  takeStep(far);
  done(world.send({ type: "session.delete" }));
  done(far.boundary());
  assert.match(openAsk(far), /^budget:/);
});

test("P6 a cancel of the run that asks withdraws its ask and passes it to a run that waits", () => {
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

test("P6 a cancel of the last run that waits leaves no ask and nobody waiting", () => {
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

test("P6 a cancel of a run that waits leaves the ask to the run that carries the budget", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  const askId = openAsk(world);
  done(child.cancel("c1"));
  assert.deepEqual(account(world, "prompt:main/p1").waiting, []);
  assert.equal(openAsk(world), askId);
});

test("P6 a run that waits comes to its boundary again, and nothing changes", () => {
  const { world, child } = family(cost(2), "ask");
  takeStep(child);
  done(child.boundary());
  const before = [child.types().length, account(world, "prompt:main/p1")];
  done(child.boundary());
  assert.deepEqual([child.types().length, account(world, "prompt:main/p1")], before);
});

for (const whose of ["prompt", "run"] as const) {
  test(`P6 an account that exists is not opened anew by the ${whose} that has its budget`, () => {
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

test("P6 R1 a run that waits for its budget is taken over and waits on, under the same ask", () => {
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

test("P6 a run that carries a spent budget asks on itself, also before its first step", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1", { budget: cost(0), onBudget: "ask", opensStep: true }));
  assert.equal(world.run().stage, "boundary");
  done(world.boundary());
  done(world.answerAsk(openAsk(world), "deny"));
  done(world.boundary());
  assert.equal(outcome(world, "p1"), "failed: budget");
});

test("P6 a prompt's own budget says for itself whether it asks", () => {
  const world = createWorld();
  done(world.accept("p1", { budget: cost(5) }));
  done(world.start("r1", { budget: cost(9), onBudget: "ask" }));
  const { onBudget, limit } = account(world, "prompt:main/p1");
  assert.deepEqual({ onBudget, limit }, { onBudget: "fail", limit: cost(5) });
});

test("P6 of two spent accounts the one that fails counts before the one that asks", () => {
  const { world, child } = family(cost(2), "ask");
  const inner = startChild(child, "inner", { start: { budget: cost(2) } })(world);
  takeStep(inner);
  done(inner.boundary());
  assert.equal(outcome(inner, "k-inner"), "failed: budget");
});

test("P6 a run whose budget was raised meets the next account above it", () => {
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
  test(`P6 R1 after more than an hour ${how} ${how === "expiry" ? "releases no" : "releases every"} run that waits`, () => {
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

test("P6 a run that waits for one account and meets another waits for that one alone", () => {
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

test("P6 the run that carries the budget may end its step while its ask is open", () => {
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
