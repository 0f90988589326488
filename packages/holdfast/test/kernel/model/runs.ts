import type { CommandOf, RunHandle } from "../../../src/kernel/command.ts";
import { addUsage, noUsage } from "../../../src/kernel/state.ts";
import { charge, openAccount, release, resolve, spentAccount, wait } from "./accounts.ts";
import { createLane, findPrompt, isClosing, isStopping, runOf, waitingPrompts } from "./records.ts";
import type { AskRecord, Lane, Model, RunRecord } from "./records.ts";
import {
  cancelChildren,
  childSettled,
  endRun,
  enforceStop,
  enterMessages,
  isDue,
  settle,
  withdrawAsksOn,
} from "./settle.ts";

export function start(model: Model, lane: Lane, command: CommandOf<"run.start">): string[] {
  if (lane.deleted) return ["deleted", "idle", "busy"];
  const refusals: string[] = [];
  if (lane.active !== null) refusals.push("busy");
  if (lane.holds.length > 0) refusals.push("held");
  if (refusals.length > 0) return refusals;
  // P6: expired prompts are settled before anything starts. If only that happens, the command still succeeds.
  const expired = expire(model, lane);
  const first = lane.queue[0];
  if (expired && first?.kind !== "prompt") return [];
  if (first === undefined) refusals.push("idle");
  if (first?.kind === "work") refusals.push("idle");
  if (first?.kind !== "prompt" || refusals.length > 0) return refusals;
  lane.queue = lane.queue.slice(1);
  lane.fence += 1;
  first.status = "running";
  first.run = command.runId;
  const run: RunRecord = {
    kind: "run",
    id: command.runId,
    prompts: [first],
    attempt: 1,
    owner: command.owner,
    stop: null,
    stage: "boundary",
    step: 0,
    calls: [],
    asks: [],
    children: [],
    tries: 1,
    triesSinceStep: 1,
    usage: noUsage,
    maxSteps: command.maxSteps,
    stopGrace: command.stopGrace,
    accounts: [],
    waitsFor: null,
    askTime: command.askTime ?? null,
    deadline: first.maxRunTime === null ? null : model.now + first.maxRunTime,
    agent: lane.agent,
    cutOffAt: null,
    handedOver: false,
    released: false,
  };
  lane.active = run;
  const own = openAccount(model, lane, {
    prompt: first,
    limits: [command.budget, first.budget],
    asks: first.budget === null ? command.onBudget === "ask" : first.asksForMore,
    used: noUsage,
  });
  const ofSession = openAccount(model, lane, {
    prompt: null,
    limits: [lane.budget],
    asks: lane.asksForMore,
    used: lane.usage,
  });
  const above = [own, ofSession, ...first.accounts].filter((account) => account !== null);
  run.accounts = [...new Set(above)];
  if (command.opensStep && spentAccount(run) === null) openStep(model, lane, run);
  return [];
}

/** P6: settles prompts that are still queued at their expiry. */
export function expire(model: Model, lane: Lane): boolean {
  const due = waitingPrompts(lane).filter((prompt) => isDue(model, prompt));
  for (const prompt of due) {
    settle(model, lane, prompt, { status: "failed", reason: "expired", runId: null });
  }
  enterMessages(model, lane);
  return due.length > 0;
}

/** L5: only the last owner of the lane may write for its run. */
export function fenced(lane: Lane, handle: RunHandle): RunRecord | null {
  const run = runOf(lane);
  if (run === null || run.owner === null) return null;
  const current =
    run.id === handle.runId && lane.fence === handle.fence && run.attempt === handle.attempt;
  return current ? run : null;
}

export function boundary(model: Model, lane: Lane, command: CommandOf<"run.boundary">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  const refusals: string[] = [];
  if (run.stop !== null) refusals.push("stopping");
  const { within, takes = [] } = command;
  const host = run.calls.find((call) => call.id === within && call.started && !call.repeatable);
  const hosts = host !== undefined && run.calls.every((call) => call === host || call.seen);
  if (within === undefined ? isInStep(run) : !hosts) refusals.push("outOfOrder");
  // A repeated boundary before the model's answer is the same step.
  const again = run.stage === "model";
  if (refusals.length > 0) return refusals;
  const spent = spentAccount(run);
  if (spent !== null && spent.asks) {
    wait(model, lane, run, spent);
    return [];
  }
  if (spent !== null) {
    // Only a step within a call can meet children that are still open.
    cancelChildren(model, lane, run, false);
    endRun(model, lane, run, { status: "failed", reason: "budget", runId: run.id });
    return [];
  }
  if (!again && run.step >= run.maxSteps) return ["stepLimit"];
  openStep(model, lane, run, within === undefined ? null : takes);
  return [];
}

/** `only` (H6): the steers that a hosted agent has received; null: all waiting steers. */
function openStep(
  model: Model,
  lane: Lane,
  run: RunRecord,
  only: readonly string[] | null = null,
): void {
  takeIn(model, lane, run, only);
  run.waitsFor = null;
  if (run.stage !== "model") run.step += 1;
  run.stage = "model";
}

/** True if a call, an ask or a child of the step is still open. */
function isInStep(run: RunRecord): boolean {
  const open = run.children.some((child) => !child.settled);
  const asks = run.asks.some((ask) => ask.account === null);
  return run.calls.length > 0 || asks || open;
}

/** L6, P7: the steers of the run join it, and so do messages at the front of the queue. */
function takeIn(model: Model, lane: Lane, run: RunRecord, only: readonly string[] | null): void {
  expire(model, lane);
  let blocked = false;
  for (const item of lane.queue) {
    const isSteer = item.kind === "prompt" && item.boundTo === run.id;
    if (only !== null && !(isSteer && only.includes(item.id))) continue;
    if (item.kind === "prompt" && item.boundTo === run.id) {
      lane.queue = lane.queue.filter((other) => other !== item);
      item.status = "running";
      item.run = run.id;
      item.boundTo = null;
      if (item.reply) run.prompts.push(item);
      else settle(model, lane, item, { status: "completed", reason: null, runId: run.id });
    } else if (item.kind === "prompt" && !item.reply && !blocked) {
      settle(model, lane, item, { status: "completed", reason: null, runId: run.id });
    } else {
      blocked = true;
    }
  }
}

export function answer(model: Model, lane: Lane, command: CommandOf<"step.answer">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  if (run.stage !== "model" || run.waitsFor !== null) return ["outOfOrder", "stopping"];
  const ids = command.calls.map((call) => call.callId);
  if (new Set(ids).size < ids.length) return ["invalid"];
  if (run.calls.some((call) => ids.includes(call.id))) return ["invalid"];
  const isHosted = run.calls.length > 0;
  if (isHosted && command.calls.some(({ seen }) => seen !== true)) return ["outOfOrder"];
  run.stage = "tools";
  for (const { callId: id, repeatable, seen = false } of command.calls) {
    run.calls.push({ id, repeatable, seen, started: false, gate: "open" });
  }
  run.triesSinceStep = 0;
  run.usage = addUsage(run.usage, command.usage);
  charge(run, command.usage);
  if (command.completes !== null) {
    const { completes, handle, sessionId, actor, at } = command;
    const outcome = { status: "completed", reason: null, ...completes } as const;
    // If the end is refused, the answer stays.
    end(model, lane, { type: "run.end", sessionId, actor, at, handle, outcome, hold: null });
  }
  return [];
}

export function startTool(lane: Lane, command: CommandOf<"tool.start">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  const call = run.calls.find((other) => other.id === command.callId);
  const refusals: string[] = [];
  if (run.stop !== null) refusals.push("stopping");
  if (call === undefined || call.started || call.gate !== "open") refusals.push("outOfOrder");
  if (call !== undefined && refusals.length === 0) call.started = true;
  return refusals;
}

export function endTool(lane: Lane, command: CommandOf<"tool.end">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  const call = run.calls.find((other) => other.id === command.callId);
  if (call === undefined) return ["outOfOrder"];
  if (call.gate === "asking" && !call.seen) return ["outOfOrder"];
  // R2: a call has a result only if its permission and its committed start allowed it to act.
  const acted = call.gate === "open" && (call.started || call.repeatable || call.seen);
  if (command.status === "completed" && !acted) return ["outOfOrder"];
  const mayHaveActed = (call.started && !call.repeatable) || (call.seen && call.gate === "open");
  if (command.status === "inDoubt" && !mayHaveActed) return ["outOfOrder"];
  withdrawAsksOn(run, call);
  run.calls = run.calls.filter((other) => other !== call);
  lane.results.set(call.id, command.status);
  return [];
}

export function openAsk(lane: Lane, command: CommandOf<"ask.open">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  const refusals: string[] = [];
  if (run.stop !== null) refusals.push("stopping");
  const known = lane.asks.get(command.askId);
  if (known !== undefined) {
    // Nobody but the runtime opens an ask for a higher limit (P3).
    if (known.account !== null) refusals.push("invalid");
    else if (known.runId !== run.id || known.callId !== command.callId) refusals.push("conflict");
    return refusals;
  }
  const call = run.calls.find((other) => other.id === command.callId);
  if (command.callId !== null && (call === undefined || call.started || call.gate === "asking")) {
    refusals.push("outOfOrder");
  }
  if (refusals.length > 0) return refusals;
  const ask: AskRecord = {
    id: command.askId,
    runId: run.id,
    callId: command.callId,
    expiresAt: command.expiresAt,
    account: null,
    resolution: null,
    verdict: null,
  };
  lane.asks.set(ask.id, ask);
  run.asks.push(ask);
  if (call !== undefined) call.gate = "asking";
  return [];
}

export function answerAsk(model: Model, lane: Lane, command: CommandOf<"ask.answer">): string[] {
  const ask = lane.asks.get(command.askId);
  if (ask === undefined) return ["unknownAsk"];
  if (ask.verdict === command.verdict) return [];
  if (ask.resolution !== null) return ["askClosed"];
  closeAsk(model, lane, ask, command.verdict);
  release(lane);
  return [];
}

/** R4: without a yes the tool call does not start. */
export function closeAsk(
  model: Model,
  lane: Lane,
  ask: AskRecord,
  verdict: "allow" | "deny" | "expired",
): void {
  ask.resolution = verdict === "expired" ? "expired" : "answered";
  if (verdict !== "expired") ask.verdict = verdict;
  const run = runOf(lane);
  if (run === null) return;
  run.asks = run.asks.filter((other) => other !== ask);
  const call = run.calls.find((other) => other.id === ask.callId);
  if (call !== undefined) call.gate = verdict === "allow" ? "open" : "denied";
  if (ask.account !== null) resolve(model, ask.account, verdict);
}

export function link(model: Model, lane: Lane, command: CommandOf<"child.link">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  const refusals: string[] = [];
  if (run.stop !== null) refusals.push("stopping");
  const child = { sessionId: command.childSessionId, promptId: command.childPromptId };
  const same = (other: { sessionId: string; promptId: string }): boolean =>
    other.sessionId === child.sessionId && other.promptId === child.promptId;
  const result = findPrompt(lane, `result:${child.promptId}`);
  const waited = run.children.some(same);
  const sent = lane.background.some(same) || result?.resultFrom === child.sessionId;
  if (command.background ? sent : waited) return refusals;
  // A child is waited for or sent in the background, not both; and its result's id is made from the
  // prompt's, so no other child may have it.
  const taken = lane.background.some((other) => other.promptId === child.promptId);
  if (waited || sent || (command.background && (result !== null || taken))) {
    refusals.push("conflict");
  }
  if (!command.background && reaches(model, command.childSessionId, lane.id)) {
    refusals.push("cycle");
  }
  if (refusals.length > 0) return refusals;
  if (command.create !== null && !model.lanes.has(command.childSessionId)) {
    const { contentHash } = command.create;
    const terms = { budget: null, asksForMore: false, agent: null };
    model.lanes.set(command.childSessionId, createLane(command.childSessionId, contentHash, terms));
  }
  const sender = run.prompts[0];
  if (sender === undefined) throw new Error("model: a run has the prompt that started it");
  const { background } = command;
  const { accounts } = run;
  const state = { settled: false, forgotten: false };
  const linked = { ...child, runId: run.id, sender, background, accounts, ...state };
  lane.links.push(linked);
  (background ? lane.background : run.children).push(linked);
  return [];
}

/** True if the end of the first session's run waits for the second session's run, directly or indirectly. */
function reaches(model: Model, from: string, to: string): boolean {
  if (from === to) return true;
  const lane = model.lanes.get(from);
  const run = lane === undefined ? null : runOf(lane);
  const open = run?.children.filter((child) => !child.settled) ?? [];
  return open.some((child) => reaches(model, child.sessionId, to));
}

export function settleChild(
  model: Model,
  lane: Lane,
  command: CommandOf<"child.settle">,
): string[] {
  for (const link of lane.links) {
    const { childSessionId, childPromptId } = command;
    const same = link.sessionId === childSessionId && link.promptId === childPromptId;
    if (same && !link.settled) link.forgotten = true;
  }
  childSettled(model, lane, {
    sessionId: command.childSessionId,
    promptId: command.childPromptId,
    quiet: false,
    usage: command.usage,
  });
  return [];
}

export function end(model: Model, lane: Lane, command: CommandOf<"run.end">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  const { status, reason } = command.outcome;
  if (isStopping(run) && run.stop !== null) {
    endRun(model, lane, run, run.stop.ending);
    return [];
  }
  if (isClosing(run)) return ["fenced", "stopping", "outOfOrder"];
  if (status === "completed" && isInStep(run)) return ["outOfOrder"];
  if (status === "completed") expire(model, lane);
  if (status === "completed" && run.step < run.maxSteps) {
    // L6: if steers wait, a run that is about to complete continues with them.
    const steers = lane.queue.some((item) => item.kind === "prompt" && item.boundTo === run.id);
    if (steers && spentAccount(run) === null) {
      openStep(model, lane, run);
      return [];
    }
  }
  if (command.hold !== null && status === "failed") {
    const { retryAt } = command.hold;
    lane.holds.push({ kind: "failure", id: null, retryAt, reason });
  }
  if (status === "failed") cancelChildren(model, lane, run, false);
  endRun(model, lane, run, { status, reason, runId: run.id });
  return [];
}

export function handOver(model: Model, lane: Lane, command: CommandOf<"run.handOver">): string[] {
  const run = fenced(lane, command.handle);
  if (run === null) return ["fenced"];
  if (run.stop !== null) {
    enforceStop(model, lane, run);
    return [];
  }
  run.owner = null;
  run.cutOffAt = model.now;
  run.handedOver = true;
  run.tries -= 1;
  run.triesSinceStep = Math.max(0, run.triesSinceStep - 1);
  return [];
}
