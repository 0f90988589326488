import type { LaneEvent } from "../../../src/kernel/event.ts";
import { checkHistory } from "../../kernel/support/check-history.ts";
import { checkBudgets } from "./check-budgets.ts";
import type { Told } from "./told.ts";

/**
 * Checks the sessions' logs against every promise and against the answers that clients received: nothing acknowledged
 * is missing, nothing has two outcomes, and no answer contradicts the log.
 */
export function checkTold(logs: ReadonlyMap<string, readonly LaneEvent[]>, told: Told): string[] {
  const problems = [...logs].flatMap(([sessionId, log]) =>
    [...checkHistory(log), ...checkFence(log), ...checkOrder(log)].map(
      (problem) => `${sessionId}: ${problem}`,
    ),
  );
  const logOf = (sessionId: string): readonly LaneEvent[] => logs.get(sessionId) ?? [];
  const entries = new Map<string, Entry>();
  for (const [sessionId, log] of logs) {
    for (const event of log) {
      if (event.type === "prompt.accepted") {
        entries.set(keyOf({ ...event, sessionId }), { acceptSeq: event.seq, outcomes: [] });
      }
      if (event.type === "prompt.settled") {
        entries.get(keyOf({ ...event, sessionId }))?.outcomes.push(event.outcome);
      }
    }
  }
  for (const prompt of told.accepted) {
    const entry = entries.get(keyOf(prompt));
    const name = `${prompt.promptId} of ${prompt.sessionId}`;
    if (entry === undefined) problems.push(`P1: ${name} was acknowledged and is lost`);
    else if (entry.acceptSeq !== prompt.acceptSeq) {
      problems.push(`P3: ${name} was told ${prompt.acceptSeq} and is at ${entry.acceptSeq}`);
    }
  }
  for (const [key, { outcomes }] of entries) {
    if (outcomes.length !== 1) problems.push(`P2: ${key} has ${outcomes.length} outcomes`);
  }
  for (const said of told.outcomes) {
    const [outcome] = entries.get(keyOf(said))?.outcomes ?? [];
    if (outcome?.status === said.status && outcome.reason === said.reason) continue;
    problems.push(`P4: ${keyOf(said)} was told ${said.status} and is ${outcome?.status}`);
  }
  for (const { sessionId, receipt } of told.receipts) {
    for (const { promptId } of receipt.covered) {
      const entry = entries.get(keyOf({ sessionId, promptId }));
      if (entry?.outcomes[0]?.status !== "cancelled") {
        problems.push(`C2: ${promptId} was covered by ${receipt.cancelId} and is not cancelled`);
      }
      if (entry !== undefined && receipt.mark !== null && entry.acceptSeq > receipt.mark) {
        problems.push(`C1: ${promptId} came after ${receipt.cancelId}, which covered it`);
      }
    }
  }
  problems.push(...checkTrees(logs, told), ...checkBudgets(logs));
  for (const { sessionId, seqs } of told.readings) {
    const expected = logOf(sessionId).map(({ seq }) => seq);
    if (seqs.length === expected.length && seqs.every((seq, at) => seq === expected[at])) continue;
    const wrong = seqs.findIndex((seq, at) => seq !== expected[at]);
    problems.push(`T2: a reader of ${sessionId} got ${seqs[wrong] ?? "nothing"} at place ${wrong}`);
  }
  return [...problems, ...checkActs([...logs.values()].flat(), told.acts)];
}

/**
 * C7: checks that prompts of other sessions that a cancel with tree covered did not complete, and that their outcomes
 * started no run.
 */
function checkTrees(logs: ReadonlyMap<string, readonly LaneEvent[]>, told: Told): string[] {
  const covered = new Set<string>();
  for (const { receipt } of told.receipts) {
    const { children, background, tree } = receipt;
    for (const child of [...children, ...(tree ? background : [])]) covered.add(keyOf(child));
  }
  return [...logs.values()].flat().flatMap((event) => {
    if (event.type === "prompt.settled" && event.outcome.status === "completed") {
      return covered.has(keyOf(event)) ? [`C7: ${keyOf(event)} was covered and completed`] : [];
    }
    if (event.type !== "prompt.accepted" || event.resultOf === null) return [];
    const child = keyOf(event.resultOf);
    return covered.has(child) ? [`C7: ${child} was covered and woke its parent`] : [];
  });
}

interface Entry {
  readonly acceptSeq: number;
  readonly outcomes: { readonly status: string; readonly reason: string | null }[];
}

/** L5: checks that a former owner writes nothing after a new attempt of the run or a new fencing token of the lane. */
function checkFence(log: readonly LaneEvent[]): string[] {
  const problems: string[] = [];
  let fence = 0;
  const attempts = new Map<string, number>();
  for (const event of log) {
    if (!("fence" in event) || !("attempt" in event)) continue;
    const { runId } = event;
    const attempt = attempts.get(runId) ?? 0;
    if (event.fence < fence || event.attempt < attempt) {
      problems.push(`L5: seq ${event.seq} ${event.type} comes from an owner that was overtaken`);
    }
    fence = Math.max(fence, event.fence);
    attempts.set(runId, Math.max(attempt, event.attempt));
  }
  return problems;
}

/** L2: without moves, runs start in the order in which their prompts were accepted. */
function checkOrder(log: readonly LaneEvent[]): string[] {
  const places = new Map<string, number>();
  let last = 0;
  const problems: string[] = [];
  for (const event of log) {
    if (event.type === "prompt.accepted") places.set(event.promptId, event.seq);
    if (event.type !== "run.started") continue;
    const place = places.get(event.promptId) ?? 0;
    if (place <= last) problems.push(`L2: ${event.promptId} starts after a later one`);
    last = place;
  }
  return problems;
}

/** R2: checks that calls that must not be repeated acted once at most, and not before their start was committed. */
function checkActs(log: readonly LaneEvent[], acts: readonly string[]): string[] {
  const started = new Set(
    log.flatMap((event) => (event.type === "tool.started" ? event.callId : [])),
  );
  const counts = Map.groupBy(acts, (callId) => callId);
  return [...counts].flatMap(([callId, times]) => [
    ...(times.length > 1 ? [`R2: call ${callId} has acted ${times.length} times`] : []),
    ...(started.has(callId) ? [] : [`R2: call ${callId} acted before its start`]),
  ]);
}

function keyOf({ sessionId, promptId }: { sessionId: string; promptId: string }): string {
  return `${sessionId}/${promptId}`;
}
