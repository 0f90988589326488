import type { CancelScope, CommandOf } from "../../../src/kernel/command.ts";
import type { CancelReason } from "../../../src/kernel/state.ts";
import { findPrompt, isClosing, runOf, waitingPrompts } from "./records.ts";
import type { ChildRecord, Lane, Model, Prompt, ReceiptRecord, RunRecord } from "./records.ts";
import { cancelChild, enterMessages, settle, stopRun } from "./settle.ts";

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
      const background = scope.tree ? [...lane.background] : [];
      const receipt = coverSession(model, lane, {
        upTo: scope.upTo ?? Infinity,
        reason: force ?? "sessionCancel",
      });
      nameBackground(receipt, background);
      for (const child of background) {
        const parent = { sessionId: lane.id, runId: child.runId, background: true };
        model.outbox.push(() => cancelChild(model, lane, { child, parent, enforce: false }));
      }
      return receipt;
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

/** C6: alone while it waits; with its run when it started it; refused once taken in. */
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

/** C1: exactly what is unsettled and was accepted at or below the mark. */
export function coverSession(
  model: Model,
  lane: Lane,
  order: { upTo: number; reason: CancelReason },
): ReceiptRecord {
  const receipt = emptyReceipt();
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
  if (receipt.covered.length + receipt.work.length > 0) nameBackground(receipt, lane.background);
  enterMessages(model, lane);
  return receipt;
}

/** M8: a session cancel ends exclusive work, waiting or active. */
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
  for (const child of run.children.filter((other) => !other.settled)) {
    receipt.children.push(child.promptId);
  }
  nameBackground(receipt, lane.background);
  stopRun(model, lane, run, { ending: { status: "cancelled", reason }, mark });
}

/** C7: background children are named, once, whether or not they are covered. */
function nameBackground(receipt: ReceiptRecord, children: readonly ChildRecord[]): void {
  for (const { promptId } of children) {
    if (!receipt.background.includes(promptId)) receipt.background.push(promptId);
  }
}

function emptyReceipt(): ReceiptRecord {
  return { covered: [], work: [], children: [], background: [] };
}
