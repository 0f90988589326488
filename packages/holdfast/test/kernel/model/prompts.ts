import type { CommandOf } from "../../../src/kernel/command.ts";
import { noUsage } from "../../../src/kernel/state.ts";
import { coverSession } from "./cancel.ts";
import { findPrompt, runOf, waitingPrompts } from "./records.ts";
import type { Lane, Model, Prompt } from "./records.ts";
import { childSettled, enqueue, enterMessages, liftFailureHolds, stopRun } from "./settle.ts";

// Each function returns the refusal codes that the promises allow. An empty list means that the command must succeed.

export function accept(model: Model, lane: Lane, command: CommandOf<"prompt.accept">): string[] {
  const known = findPrompt(lane, command.promptId);
  if (known !== null) {
    if (known.hash === null) return ["tombstoned", "conflict"];
    if (known.hash !== command.contentHash) return ["conflict"];
    tellAgain(model, lane, known, command);
    return [];
  }
  const refusals = acceptRefusals(lane, command);
  if (refusals.length > 0) return refusals;
  const run = runOf(lane);
  const steers = command.delivery === "steer" && run !== null;
  const prompt: Prompt = {
    kind: "prompt",
    id: command.promptId,
    seq: model.seqOf(lane.id, command.promptId),
    hash: command.contentHash,
    delivery: command.delivery,
    reply: command.reply,
    parent: command.parent,
    expiresAt: command.expiresAt,
    maxRunTime: command.maxRunTime,
    budget: command.budget,
    asksForMore: command.onBudget === "ask",
    accounts: (command.accounts ?? []).flatMap((id) => model.accounts.get(id) ?? []),
    revision: 1,
    body: command.body,
    boundTo: steers ? run.id : null,
    expected: command.expectedRunId !== null,
    status: "queued",
    run: null,
    outcome: null,
    resultFrom: null,
    under: null,
    unwanted: false,
    cancelled: null,
  };
  // L4: a message without a reply starts no run, so it does not release failure holds.
  if (prompt.reply) liftFailureHolds(lane);
  if (command.delivery === "interrupt") {
    const receipt = coverSession(model, lane, {
      upTo: prompt.seq,
      reason: "interrupt",
      tree: false,
    });
    const covered = receipt.covered.map((entry) => entry.id);
    if (covered.length > 0 || receipt.work.length > 0) prompt.cancelled = covered;
    lane.receipts.set(`interrupt:${prompt.id}`, receipt);
  }
  enqueue(lane, prompt);
  enterMessages(model, lane);
  return [];
}

/** C7: a parent that repeats its child's prompt may have linked the child after its end. */
function tellAgain(
  model: Model,
  lane: Lane,
  known: Prompt,
  { parent }: CommandOf<"prompt.accept">,
): void {
  if (parent === null || parent.background || known.status !== "settled") return;
  if (known.parent?.sessionId !== parent.sessionId || known.parent.runId !== parent.runId) return;
  const parentLane = model.lanes.get(parent.sessionId);
  if (parentLane === undefined) return;
  const child = { sessionId: lane.id, promptId: known.id, quiet: true, usage: noUsage };
  model.outbox.push(() => childSettled(model, parentLane, child));
}

function acceptRefusals(lane: Lane, command: CommandOf<"prompt.accept">): string[] {
  const refusals: string[] = [];
  const run = runOf(lane);
  if (lane.deleted) refusals.push("deleted");
  if (command.limits.draining) refusals.push("draining");
  if (command.bytes > command.limits.maxBytes) refusals.push("tooLarge");
  if (lane.queue.length >= command.limits.maxQueue) refusals.push("queueFull");
  if (command.delivery === "ifIdle") {
    if (lane.active !== null || lane.queue.length > 0) refusals.push("busy");
    if (lane.holds.length > 0) refusals.push("held", "busy");
  }
  if (command.expectedRunId !== null && command.expectedRunId !== run?.id) {
    refusals.push("runMismatch");
  }
  return refusals;
}

export function edit(lane: Lane, command: CommandOf<"prompt.edit">): string[] {
  const prompt = findPrompt(lane, command.promptId);
  const refusals = notWaiting(lane, prompt);
  if (prompt === null || refusals.length > 0) return refusals;
  if (command.bytes > command.maxBytes) refusals.push("tooLarge");
  // The edit is repeated because its answer was lost.
  if (command.revision + 1 === prompt.revision && command.body === prompt.body) return refusals;
  if (command.revision !== prompt.revision) refusals.push("staleRevision");
  if (refusals.length > 0) return refusals;
  prompt.revision += 1;
  prompt.body = command.body;
  return refusals;
}

export function move(model: Model, lane: Lane, command: CommandOf<"prompt.move">): string[] {
  const prompt = findPrompt(lane, command.promptId);
  const refusals = notWaiting(lane, prompt);
  if (prompt === null || refusals.length > 0) return refusals;
  const rest = lane.queue.filter((item) => item !== prompt);
  const place = rest.findIndex((item) => item.id === command.before);
  if (command.before !== null && place === -1) return ["notWaiting", "unknownPrompt", "invalid"];
  rest.splice(command.before === null ? rest.length : place, 0, prompt);
  lane.queue = rest;
  enterMessages(model, lane);
  return [];
}

/** L2: moves the prompt to the front of the queue, and stops only the active run. */
export function promote(model: Model, lane: Lane, command: CommandOf<"prompt.promote">): string[] {
  const prompt = findPrompt(lane, command.promptId);
  const refusals = notWaiting(lane, prompt);
  if (prompt === null || refusals.length > 0) return refusals;
  lane.queue = [prompt, ...lane.queue.filter((item) => item !== prompt)];
  prompt.boundTo = null;
  const run = runOf(lane);
  if (run !== null && run.stop === null) {
    stopRun(model, lane, run, { ending: { status: "cancelled", reason: "promoted" }, mark: null });
  }
  enterMessages(model, lane);
  return [];
}

function notWaiting(lane: Lane, prompt: Prompt | null): string[] {
  if (prompt === null) return lane.deleted ? ["unknownPrompt", "deleted"] : ["unknownPrompt"];
  if (waitingPrompts(lane).includes(prompt)) return [];
  const refusals = prompt.status === "running" ? ["takenIn", "notWaiting"] : ["notWaiting"];
  return lane.deleted ? [...refusals, "deleted"] : refusals;
}
