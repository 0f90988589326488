import type { OnBudget } from "../../../src/kernel/state.ts";
import { later } from "./client-actions.ts";
import { child, kind, scenario } from "./scenario.ts";
import type { CancelKind, PromptKind, Scenario } from "./scenario.ts";

/** Size of the exploration: seconds in every test run, minutes on request. */
export interface Extent {
  /** Prompts in a scenario with one session. */
  readonly prompts: 3 | 4;
  readonly crashes: number;
  readonly cancels: number;
}

export const quick: Extent = { prompts: 3, crashes: 1, cancels: 1 };
export const thorough: Extent = { prompts: 4, crashes: 2, cancels: 2 };

const everyCancel: readonly CancelKind[] = ["session", "upTo", "prompt", "queue", "run", "promote"];
const steered = { delivery: "steer" } as const;
const limited = { directories: ["/project"] } as const;
const inChild = { sessionId: "b" } as const;
const everyRecovery = ["resume", "hold", "settle"] as const;

/** Combinations of prompts and events. Together they reach every command of the kernel. */
export function scenarios(extent: Extent): Scenario[] {
  const { crashes, cancels } = extent;
  const more = extent.prompts - 3;
  return [
    scenario("queued prompts", {
      prompts: [kind("q", 3 + more)],
      left: { crashes: 2, cancels: 2 },
      cancels: everyCancel,
      answers: [[], ["once"]],
    }),
    scenario("steered prompts", {
      prompts: [kind("q", 1), kind("s", 2 + more, steered)],
      left: { crashes, cancels },
      maxSteps: 2,
      cancels: ["session", "upTo", "prompt", "promote"],
    }),
    scenario("a steer that names its run, and an interrupt", {
      prompts: [
        kind("q", 1 + more),
        kind("e", 1, { ...steered, expected: true }),
        kind("i", 1, { delivery: "interrupt" }),
      ],
      left: { crashes, cancels, handOvers: 1 },
      cancels: ["session", "upTo", "prompt", "run", "promote"],
    }),
    scenario("messages without reply, ifIdle, and moves", {
      prompts: [
        kind("q", 1 + more),
        kind("m", 1, { reply: false }),
        kind("d", 1, { delivery: "ifIdle" }),
      ],
      left: { crashes, cancels, moves: 1, edits: more },
      cancels: ["session", "prompt", "promote"],
    }),
    scenario("senders with two directory limits, who edit one another's prompts", {
      prompts: [
        kind("q", 1),
        kind("s", 1, steered),
        kind("l", 1, { ...steered, ...limited }),
        kind("m", more, { ...limited, reply: false }),
      ],
      left: { crashes: more, cancels, edits: 1 },
      maxSteps: 2,
      cancels: ["upTo", "promote"],
      editors: [null, limited.directories],
    }),
    scenario("times: expiry, run time, and an hour's wait", {
      prompts: [
        kind("q", 1 + more),
        kind("x", 1, { ...steered, expires: true }),
        kind("t", 1, { maxRunTime: 10 }),
      ],
      left: { crashes, cancels, hours: 1 },
      recovery: ["resume", "settle"],
    }),
    scenario("holds and failures", {
      prompts: [kind("q", 2 + more), kind("m", 1, { reply: false })],
      left: { crashes, cancels, holds: 1, handOvers: more },
      failures: ["plain", "hold", "retry"],
      recovery: everyRecovery,
      cancels: ["session", "prompt"],
    }),
    scenario("tools and asks", {
      prompts: [kind("q", 1), kind("s", 1 + more, steered)],
      left: { crashes: 1, cancels, asks: 1 },
      maxSteps: 1 + more,
      answers: [["once"], ["repeatable", "once"]],
      asks: ["open", "expires"],
      recovery: everyRecovery,
    }),
    scenario("tools and crashes", {
      prompts: [kind("q", 2)],
      left: { crashes: 2, cancels, handOvers: 1 },
      maxSteps: 1 + more,
      answers: [[], ["once"], ["repeatable"]],
      recovery: everyRecovery,
    }),
    scenario("a hosted agent's steps within a call", {
      prompts: [kind("q", 1), kind("s", 1, steered)],
      left: { crashes: 1, cancels: more, asks: 1 },
      maxSteps: 2 + more,
      answers: [[], ["once"], ["seen"]],
      asks: ["open"],
      hosts: true,
    }),
    scenario("exclusive work and deletion", {
      prompts: [kind("q", 1 + more), kind("s", 1, steered)],
      left: { crashes, cancels, works: 2, deletes: 1, holds: more },
      cancels: ["session", "upTo", "queue", "promote"],
    }),
    scenario("a title, the archive and exclusive work", {
      prompts: [kind("q", 1), kind("m", 1, { reply: false })],
      left: { crashes: more, cancels: more, works: 1, holds: 1, labels: 2 + more, deletes: 1 },
    }),
    scenario("deletion of a session whose run is stopping", {
      prompts: [kind("t", 2, { maxRunTime: 10 }), kind("s", 1 + more, steered)],
      left: { crashes, cancels, deletes: 1 },
      cancels: ["session", "upTo"],
    }),
    scenario("a run that kills its process", {
      prompts: [kind("q", 1)],
      left: { crashes: 11, handOvers: 1 },
      maxSteps: 9,
    }),
    ...trees(extent),
    ...grandchildren(extent),
    ...budgets(extent),
  ];
}

/**
 * A run in session a, its child in session b, and a grandchild in session c. Lost signals are covered: an owner may
 * send at any time what it would send without any signal.
 */
function grandchildren(extent: Extent): Scenario[] {
  const isQuick = extent.prompts === 3;
  const more = extent.prompts - 3;
  const family = (name: string, levels: readonly [boolean, boolean]): Scenario =>
    scenario(name, {
      prompts: [kind("p", 1)],
      left: { crashes: 1, cancels: 1 + more, links: 2 },
      cancels: isQuick ? ["session", "tree"] : ["session", "tree", "treeUpTo", "prompt"],
      children: levels.map((background, index) =>
        child({ background, create: true }, index === 0 ? 1 : 2),
      ),
      failures: ["plain"],
      steps: !isQuick,
    });
  return [
    family("a foreground child with a foreground grandchild", [false, false]),
    family("a foreground child with a background grandchild", [false, true]),
    family("a background child with a foreground grandchild", [true, false]),
    family("a background child with a background grandchild", [true, true]),
    scenario("a background grandchild, later prompts and deletion", {
      prompts: [kind("p", 1 + more), kind("o", 1, inChild)],
      left: { crashes: more, cancels: 1, links: 2, deletes: 1 },
      cancels: ["tree", "treeUpTo"],
      children: [
        child({ background: true, create: false }, 1),
        child({ background: true, create: true }, 2),
      ],
      steps: false,
    }),
  ];
}

/** Runs below a budget: each takes one step, which uses all that the budget has, or all that a raise adds. */
function budgets(extent: Extent): Scenario[] {
  const more = extent.prompts - 3;
  const usage = { inputTokens: 0, outputTokens: 0, cost: 1 };
  const family = (
    name: string,
    levels: readonly boolean[],
    fields: Parameters<typeof scenario>[1] = {},
  ) =>
    scenario(name, {
      prompts: [spender("ask")],
      cancels: more === 0 ? ["tree"] : ["session", "tree"],
      children: levels.map((background, index) =>
        child({ background, create: true }, index === 0 ? 1 : 2),
      ),
      usage,
      ...fields,
      left: { crashes: more, cancels: 1, links: levels.length, ...fields.left },
    });
  return [
    family("a budget over a foreground child with a background grandchild", [false, true]),
    family("a budget over a background child with a foreground grandchild", [true, false], {
      left: { cancels: more },
    }),
    family("a budget that fails, over a background child and grandchild", [true, true], {
      prompts: [spender("fail")],
    }),
    family("a budget whose ask expires, over a background child", [true], {
      askTime: later,
      cancels: ["session", "tree"],
    }),
    family("a budget over a background child, and more than an hour", [true], {
      left: { crashes: 2, hours: 1, cancels: more },
    }),
  ];
}

function spender(onBudget: OnBudget): PromptKind {
  return kind("p", 1, { budget: { tokens: null, cost: 1 }, onBudget });
}

/** A parent's run in session a, with a child prompt in session b that has prompts of its own. */
function trees(extent: Extent): Scenario[] {
  const { cancels } = extent;
  const more = extent.prompts - 3;
  const cancelsInTree: readonly CancelKind[] = ["session", "tree", "prompt"];
  return [
    scenario("a foreground child", {
      prompts: [kind("p", 1 + more), kind("o", 1, inChild)],
      left: { crashes: 1 + more, cancels, links: 1, deletes: more },
      cancels: cancelsInTree,
      children: [child({ background: false, create: false })],
    }),
    scenario("a foreground child, and a steer that the cancel of its run spares", {
      prompts: [kind("p", 1), kind("s", 1 + more, steered)],
      left: { crashes: more, cancels: 1 + more, links: 1, deletes: 1 },
      cancels: ["session", "upTo"],
      children: [child({ background: false, create: true })],
    }),
    scenario("a foreground child in a session of its own", {
      prompts: [kind("p", 1), kind("s", 1, { ...inChild, ...steered })],
      left: { crashes: 1 + more, cancels: 1, links: 1, deletes: 1, hours: more },
      recovery: more === 0 ? ["hold"] : everyRecovery,
      cancels: ["session", "run"],
      children: [child({ background: false, create: true })],
    }),
    scenario("a background child", {
      prompts: [kind("p", 1), kind("o", more, inChild)],
      left: { crashes: 1 + more, cancels: 2, links: 1, deletes: more },
      cancels: cancelsInTree,
      children: [child({ background: true, create: false })],
    }),
    scenario("a background child in a session of its own", {
      prompts: [kind("p", 1), kind("o", 1, inChild)],
      left: { crashes: more, cancels: 1, links: 1, deletes: 1 + more },
      cancels: ["session", "tree"],
      children: [child({ background: true, create: true })],
    }),
  ];
}
