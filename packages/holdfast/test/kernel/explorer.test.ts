import assert from "node:assert/strict";
import { test } from "node:test";
import { explore } from "./explorer/explore.ts";
import { countMeetings } from "./explorer/meetings.ts";
import {
  asksForEach,
  dropsAsks,
  dropsOutcomes,
  forgetsAccounts,
  forgetsLimits,
  forgetsBranches,
  forgetsOrigins,
  forgetsSpending,
  forgetsTheMark,
  forgetsUnwanted,
  forgivesOldOwners,
  neverTakesOver,
  stopsAtChildren,
  wakesOnlyTheAsker,
} from "./explorer/planted-bugs.ts";
import { kind, scenario } from "./explorer/scenario.ts";
import { quick, scenarios } from "./explorer/scenarios.ts";
import type { Scenario } from "./explorer/scenario.ts";
import type { Execute } from "./explorer/world.ts";

for (const each of scenarios(quick)) {
  test(`P1 to M8 hold in every interleaving of ${each.name}`, (context) => {
    const { violations, states, transitions } = explore(each);
    context.diagnostic(`${states} states, ${transitions} transitions`);
    assert.deepEqual(violations, []);
  });
}

test("P3, C4: two commands in one batch have the same effect as one after the other", () => {
  const chosen = scenarios(quick).filter(({ name }) => /ifIdle|background child in/.test(name));
  assert.deepEqual(
    chosen.map((each) => explore(each, { batches: true }).violations),
    [[], []],
  );
});

test("states that the explorer treats as equal have the same possible next steps", () => {
  const chosen = scenarios(quick).filter(({ name }) => name.includes("background child in"));
  assert.deepEqual(
    chosen.map((each) => countMeetings(each).unlike),
    [[]],
  );
});

const small = scenario("two prompts", {
  prompts: [kind("q", 2)],
  left: { crashes: 1, cancels: 1 },
  cancels: ["session", "upTo"],
});

/** The path on which the explorer finds the problem in a kernel with a planted bug. */
function pathTo(
  problem: string,
  bug: Execute,
  where: Scenario = small,
): readonly string[] | undefined {
  const { violations } = explore(where, { execute: bug });
  return violations.find((violation) => violation.problem === problem)?.path;
}

test("the explorer finds a cancel that forgets its mark (C1)", () => {
  const problem = "C1: the receipt covers other prompts than those accepted before the cancel";
  const path = ["a: accept q1 (queue)", "a: accept q2 (queue)", "a: cancel session up to q1"];
  assert.deepEqual(pathTo(problem, forgetsTheMark), path);
});

test("the explorer finds a steer that loses the directory limit of its sender (L6)", () => {
  const directories = ["/project"];
  const two = scenario("two limits", {
    prompts: [kind("q", 1), kind("l", 1, { delivery: "steer", directories })],
  });
  const { violations } = explore(two, { execute: forgetsLimits });
  const problem = "a prompt has lost its sender's directory limit";
  assert.deepEqual(violations.find((violation) => violation.problem === problem)?.path, [
    "a: accept l1 (steer)",
  ]);
});

test("the explorer finds a lane that no process takes over (L3)", () => {
  const problem = "L3: the runner alone cannot settle every prompt";
  const path = ["a: accept q1 (queue)", "a: run.start", "a: its owner crashes"];
  assert.deepEqual(pathTo(problem, neverTakesOver), path);
});

test("the explorer finds an old owner that may still end the run (L5)", () => {
  const problem = "L5: a former owner's run.end is not fenced";
  const path = ["a: accept q1 (queue)", "a: run.start"];
  assert.deepEqual(pathTo(problem, forgivesOldOwners), path);
});

test("the explorer finds an outcome that is missing from the log (P1, T2)", () => {
  const path = ["a: accept q1 (queue)", "a: cancel session"];
  const unfolded = "T2: the events do not fold to the decided state";
  const unwritten = "P1: the ledger has queued for a prompt that is settled";
  assert.deepEqual(
    [unfolded, unwritten].map((problem) => pathTo(problem, dropsOutcomes)),
    [path, path],
  );
});

const deep = scenarios(quick).find(({ name }) => name.startsWith("a background child with a back"));

test("the explorer finds a cancel that covers only direct children (C7)", () => {
  const problem = "C7: the receipt names other background descendants";
  assert.deepEqual(pathTo(problem, stopsAtChildren, deep), [
    "a: accept p1 (queue)",
    "a: run.start",
    "a: child.link k1",
    "b: accept child k1",
    "b: run.start",
    "b: child.link k2",
    "a: cancel session",
  ]);
});

test("the explorer finds a cancel that does not reach the children of a settled child (C7)", () => {
  const problem = "C7: the receipt names other background descendants";
  assert.deepEqual(pathTo(problem, forgetsBranches, deep)?.slice(-4), [
    "b: child.link k2",
    "c: accept child k2",
    "b: run.end completed",
    "a: cancel session",
  ]);
});

test("the explorer finds a covered child whose result starts a run of its parent (C7)", () => {
  const problem = "C7: a prompt that a cancel with tree covered wakes its parent";
  const path = [
    "c: accept child k2",
    "c: run.start",
    "b: run.end failed plain",
    "a: cancel tree",
    "c: run.end completed",
  ];
  const mixed = scenarios(quick).find(({ name }) =>
    name.startsWith("a background child with a fore"),
  );
  assert.deepEqual(pathTo(problem, forgetsUnwanted, mixed)?.slice(-5), path);
});

test("the explorer finds a result that does not belong to its child's tree (C7)", () => {
  const problem =
    "C7: a settled prompt is kept that has no live descendant, or one with some is not";
  const path = ["b: accept child k1", "b: cancel session", "a: run.end completed"];
  assert.deepEqual(pathTo(problem, forgetsOrigins, deep)?.slice(-3), path);
});

const spending = scenarios(quick).find(({ name }) => name.startsWith("a budget whose ask expires"));
const metLimit = [
  "a: accept p1 (queue)",
  "a: run.start",
  "a: child.link k1",
  "b: accept child k1",
  "b: run.start with a step",
  "b: step.answer without calls",
];

test("the explorer finds a child that is not charged to the budget above it (P6)", () => {
  const problem = "P6: a step is not charged to an account above it";
  assert.deepEqual(pathTo(problem, forgetsAccounts, spending), metLimit);
});

test("the explorer finds a step that opens without a budget for it (P6)", () => {
  const problem = "P6: a step starts although an account above it is spent";
  assert.deepEqual(pathTo(problem, forgetsSpending, spending), [...metLimit, "a: run.boundary"]);
});

test("the explorer finds a second ask for one budget (P6)", () => {
  const path = [...metLimit, "a: run.boundary", "b: run.boundary"];
  assert.deepEqual(pathTo("P6: two asks are open for one account", asksForEach, spending), path);
});

test("the explorer finds an answer that leaves a run waiting (P6)", () => {
  const path = [...metLimit, "b: run.boundary", "a: ask.answer allow"];
  const problem = "P6: a run waits and nobody is asked";
  assert.deepEqual(pathTo(problem, wakesOnlyTheAsker, spending), path);
});

test("the explorer finds an ask that is not passed on when its run is cancelled (P6)", () => {
  const path = [...metLimit, "b: run.boundary", "a: cancel session"];
  const problem = "P6: a run waits and nobody is asked";
  assert.deepEqual(pathTo(problem, dropsAsks, spending), path);
});
