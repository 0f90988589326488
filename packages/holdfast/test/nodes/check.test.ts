import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { openSqlitePlace } from "../runner/support/place.ts";
import { call } from "../runner/support/puppets.ts";
import { readLog } from "../store/lane-client.ts";
import { checkTold } from "./soak/check.ts";
import type { Told } from "./soak/told.ts";

// The checker of the soak test, on a correct history and on the same one with one error.

interface Story {
  readonly log: LaneEvent[];
  readonly told: Told;
}

test("the checker accepts a correct history and finds the error in each wrong one", async (t) => {
  const story = await play(t);
  assert.deepEqual(judged(story), []);
  const lies: readonly { finds: RegExp; tell: (story: Story) => void }[] = [
    { finds: /P1: p3 of main was acknowledged and is lost/, tell: lose("p3") },
    { finds: /P2: main\/p1 has 2 outcomes/, tell: settleTwice },
    { finds: /P2: main\/p3 has 0 outcomes/, tell: without("prompt.settled", "p3") },
    { finds: /T2: the log has a gap/, tell: without("run.started", "p1") },
    { finds: /L5: .* overtaken/, tell: writeAsZombie },
    { finds: /L2: a run starts with a prompt that is not first/, tell: startOutOfOrder },
    {
      finds: /P3: p1 of main was told 99/,
      tell: ({ told }) => assign(told.accepted[0], { acceptSeq: 99 }),
    },
    {
      finds: /P4: main\/p1 was told failed/,
      tell: ({ told }) => assign(told.outcomes[0], { status: "failed" }),
    },
    {
      finds: /C2: p3 was covered by c1/,
      tell: ({ told }) => assign(covered(told), { promptId: "p3" }),
    },
    { finds: /C7: main\/p1 was covered and completed/, tell: coverInTree },
    { finds: /P6: 10 of 1 tokens of main\/p1 are used/, tell: overspend },
    { finds: /P6: a run fails for its budget with 0 of 9 tokens/, tell: failUnspent },
    { finds: /R2: call one has acted 2 times/, tell: ({ told }) => void told.acts.push("one") },
    {
      finds: /R2: call never acted before its start/,
      tell: ({ told }) => void told.acts.push("never"),
    },
    {
      finds: /T2: a reader of main got/,
      tell: ({ told }) => void told.readings[0]?.seqs.splice(3, 1),
    },
    { finds: /T2: a reader of main got/, tell: ({ told }) => void told.readings[0]?.seqs.push(1) },
  ];
  for (const { finds, tell } of lies) {
    const lie = structuredClone(story);
    tell(lie);
    assert.match(judged(lie).join("\n"), finds);
  }
});

function coverInTree({ told }: Story): void {
  const [first] = told.receipts;
  assert(first !== undefined);
  const background = [{ sessionId: "main", promptId: "p1" }];
  told.receipts.push({ ...first, receipt: { ...first.receipt, background, tree: true } });
}

/** Changes the log so that the first answer uses up the budget, and a second answer follows. */
function overspend({ log }: Story): void {
  budgetOfFirst(log, 1);
  const runId = log.find((event) => event.type === "run.started")?.runId;
  for (const event of log) {
    if (event.type !== "step.answered" || event.runId !== runId) continue;
    assign(event, { usage: { inputTokens: 0, outputTokens: 5, cost: 0 } });
  }
}

function failUnspent({ log }: Story): void {
  budgetOfFirst(log, 9);
  const ended = log.find((event) => event.type === "run.ended");
  assert(ended?.type === "run.ended");
  assign(ended, { outcome: { ...ended.outcome, status: "failed", reason: "budget" } });
}

function budgetOfFirst(log: readonly LaneEvent[], tokens: number): void {
  const accepted = log[placeOf(log, "prompt.accepted", "p1")];
  assert(accepted?.type === "prompt.accepted");
  assign(accepted, { budget: { tokens, cost: null } });
}

function judged({ log, told }: Story): string[] {
  return checkTold(new Map([["main", log]]), told);
}

/** Runs three prompts: one with a tool call, one that is cancelled while it runs, and one after it. */
async function play(t: TestContext): Promise<Story> {
  const place = await openSqlitePlace(t);
  const { holdfast, store } = place.first;
  const first = await place.openStep("p1");
  await first.answer("working", [call("one")]);
  await first.startTool("one");
  await first.endTool("one");
  await place.prompt("p2");
  await first.finish("done");
  const second = await place.puppets.next();
  const receipt = await holdfast.cancel({ sessionId: "main", cancelId: "c1" });
  await second.stopped;
  second.end();
  const third = await place.openRun("p3");
  await third.finish("done");
  await place.outcomes(["p1", "p2", "p3"]);
  const log = await readLog(store, "main");
  const accepted = log.flatMap(({ sessionId, seq, ...event }) =>
    event.type === "prompt.accepted"
      ? [{ sessionId, promptId: event.promptId, acceptSeq: seq }]
      : [],
  );
  return {
    log: structuredClone([...log]),
    told: structuredClone({
      accepted,
      receipts: [{ sessionId: "main", receipt }],
      outcomes: [{ sessionId: "main", promptId: "p1", status: "completed", reason: null }],
      readings: [{ sessionId: "main", seqs: log.map(({ seq }) => seq) }],
      acts: ["one"],
    }),
  };
}

function assign<Target extends object>(target: Target | undefined, change: Partial<Target>): void {
  assert(target !== undefined);
  Object.assign(target, change);
}

function covered(told: Told): { promptId: string } | undefined {
  return told.receipts[0]?.receipt.covered[0];
}

function placeOf(log: readonly LaneEvent[], type: LaneEvent["type"], promptId: string): number {
  return log.findIndex(
    (event) => event.type === type && "promptId" in event && event.promptId === promptId,
  );
}

function without(type: LaneEvent["type"], promptId: string): (story: Story) => void {
  return ({ log }) => void log.splice(placeOf(log, type, promptId), 1);
}

function lose(promptId: string): (story: Story) => void {
  return ({ log }) => void log.splice(placeOf(log, "prompt.accepted", promptId));
}

function settleTwice({ log }: Story): void {
  const settled = log[placeOf(log, "prompt.settled", "p1")];
  assert(settled !== undefined);
  log.push({ ...settled, seq: log.length + 1 });
}

/** Repeats the last write of the first run at the end of the log, after runs of other owners. */
function writeAsZombie({ log }: Story): void {
  const written = log.find((event) => event.type === "tool.ended");
  assert(written?.type === "tool.ended");
  log.push({ ...written, seq: log.length + 1 });
}

function startOutOfOrder({ log }: Story): void {
  const [one, two] = [placeOf(log, "run.started", "p1"), placeOf(log, "run.started", "p2")];
  assign(log[one], { promptId: "p2" });
  assign(log[two], { promptId: "p1" });
}
