import type { CancelScope, CommandOf } from "../../../src/kernel/command.ts";
import type { CancelReason } from "../../../src/kernel/state.ts";
import { findPrompt, isClosing, runOf, waitingPrompts } from "./records.ts";
import type { ChildRecord, Lane, Model, Prompt, ReceiptRecord, RunRecord } from "./records.ts";
import { enterMessages, settle, stopRun } from "./settle.ts";
import { coverBelow, lookBelow, silence } from "./tree.ts";

export function cancel(model: Model, lane: Lane, command: CommandOf<"cancel">): string[] {
  if (command.cancelId.startsWith("interrupt:")) return ["invalid"];
  if (lane.receipts.has(command.cancelId)) return [];
  const result = cover(model, lane, command.scope, command.reason);
  if (Array.isArray(result)) return result;
  lane.receipts.set(command.cancelId, result);
  return [];
}

function cover(
  model: Model,
  lane: Lane,
  scope: CancelScope,
  force: "force" | null,
): ReceiptRecord | string[] {
  switch (scope.kind) {
    case "session": {
      const upTo = scope.upTo ?? Infinity;
      const reason = force ?? "sessionCancel";
      return coverSession(model, lane, { upTo, reason, tree: scope.tree });
    }
    case "queue": {
      const receipt = emptyReceipt();
      coverWaiting(model, lane, waitingPrompts(lane), {
        receipt,
        reason: force ?? "queueCleared",
      });
      enterMessages(model, lane);
      return receipt;
    }
    case "run": {
      const receipt = emptyReceipt();
      const run = runOf(lane);
      if (run?.id !== scope.runId) return receipt;
      coverRun(model, lane, run, { receipt, reason: force ?? "promptCancel", mark: null });
      return receipt;
    }
    case "prompt":
      return coverPrompt(model, lane, scope.promptId, force ?? "promptCancel");
  }
}

/**
 * C6: cancels a waiting prompt alone, or the whole run that the prompt started. Refused for a prompt that joined
 * another run.
 */
function coverPrompt(
  model: Model,
  lane: Lane,
  promptId: string,
  reason: CancelReason,
): ReceiptRecord | string[] {
  const prompt = findPrompt(lane, promptId);
  if (prompt === null) return ["unknownPrompt"];
  const receipt = emptyReceipt();
  if (prompt.status === "queued") {
    coverWaiting(model, lane, [prompt], { receipt, reason });
    enterMessages(model, lane);
  }
  if (prompt.status !== "running") return receipt;
  const run = runOf(lane);
  if (run === null || run.prompts[0] !== prompt) return ["takenIn"];
  coverRun(model, lane, run, { receipt, reason, mark: null });
  return receipt;
}

/** C1: covers exactly the unsettled prompts that were accepted up to the mark. */
export function coverSession(
  model: Model,
  lane: Lane,
  order: { upTo: number; reason: CancelReason; tree: boolean },
): ReceiptRecord {
  const receipt = emptyReceipt();
  const closing = runOf(lane);
  // Without tree, the receipt leaves out children that a run waits for after its end was committed.
  const isOut = (link: ChildRecord): boolean =>
    !order.tree && closing !== null && isClosing(closing) && closing.children.includes(link);
  const links = lane.links.filter(
    (link) => link.sender.seq <= order.upTo && !link.forgotten && !isOut(link),
  );
  const tree = lookBelow(model, lane, links);
  if (order.tree) silence(model, tree);
  const below = (item: { seq: number }): boolean => item.seq <= order.upTo;
  const waiting = waitingPrompts(lane).filter(below);
  coverWaiting(model, lane, waiting, { receipt, reason: order.reason });
  const run = runOf(lane);
  const first = run?.prompts[0];
  if (run !== null && first !== undefined && below(first)) {
    const { reason, upTo: mark } = order;
    coverRun(model, lane, run, { receipt, reason, mark });
  }
  coverWork(model, lane, below, receipt);
  if (receipt.covered.length + receipt.work.length > 0 || order.tree) {
    nameAll(receipt.background, tree.background);
  }
  if (order.tree) {
    nameAll(receipt.children, tree.waitedFor);
    coverBelow(model, tree);
  }
  enterMessages(model, lane);
  return receipt;
}

/** M8: a session cancel ends exclusive operations, waiting or active. */
function coverWork(
  model: Model,
  lane: Lane,
  below: (item: { seq: number }) => boolean,
  receipt: ReceiptRecord,
): void {
  const { active } = lane;
  if (active?.kind === "work" && below(active)) {
    receipt.work.push(active.id);
    active.stopBy ??= model.now + active.stopGrace;
  }
  for (const item of lane.queue.filter((other) => other.kind === "work").filter(below)) {
    receipt.work.push(item.id);
    item.ended = { cause: "cancelled", result: null };
    lane.queue = lane.queue.filter((other) => other !== item);
  }
}

function coverWaiting(
  model: Model,
  lane: Lane,
  prompts: readonly Prompt[],
  order: { receipt: ReceiptRecord; reason: CancelReason },
): void {
  for (const prompt of prompts) {
    const was = prompt.boundTo === null ? "queued" : "steering";
    order.receipt.covered.push({ id: prompt.id, seq: prompt.seq, was, run: prompt.boundTo });
    settle(model, lane, prompt, { status: "cancelled", reason: order.reason, runId: null });
  }
}

function coverRun(
  model: Model,
  lane: Lane,
  run: RunRecord,
  order: { receipt: ReceiptRecord; reason: CancelReason; mark: number | null },
): void {
  const { receipt, reason, mark } = order;
  if (isClosing(run)) return;
  for (const prompt of run.prompts) {
    if (mark !== null && prompt.seq > mark) continue;
    const was = prompt === run.prompts[0] ? "running" : "takenIn";
    receipt.covered.push({ id: prompt.id, seq: prompt.seq, was, run: run.id });
  }
  const tree = lookBelow(
    model,
    lane,
    lane.links.filter((link) => link.runId === run.id && !link.forgotten),
  );
  nameAll(receipt.children, tree.waitedFor);
  nameAll(receipt.background, tree.background);
  stopRun(model, lane, run, { ending: { status: "cancelled", reason }, mark });
}

/** C7: each descendant is named once, whether or not it is covered. */
function nameAll(named: string[], found: readonly string[]): void {
  for (const id of found) if (!named.includes(id)) named.push(id);
}

function emptyReceipt(): ReceiptRecord {
  return { covered: [], work: [], children: [], background: [] };
}
