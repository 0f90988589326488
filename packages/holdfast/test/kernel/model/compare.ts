import { attention } from "../../../src/kernel/attention.ts";
import { itemId } from "../../../src/kernel/state.ts";
import type { MemoryStore, StoredLane } from "../support/memory-store.ts";
import { isClosing, isStopping } from "./records.ts";
import type { Lane, Model, RunRecord } from "./records.ts";

// The data that model and kernel must agree on after every command, in one common shape.

export function viewOfModel(lane: Lane): unknown {
  const { active } = lane;
  return {
    status: lane.deleted ? "deleted" : "open",
    title: lane.title,
    mode: lane.mode,
    agent: lane.agent,
    archived: lane.archived,
    fence: lane.fence,
    queue: lane.queue.map((item) =>
      item.kind === "work" ? item.id : [item.id, item.boundTo, item.revision],
    ),
    active:
      active === null
        ? null
        : active.kind === "work"
          ? { work: active.id, stopBy: active.stopBy }
          : {
              run: active.id,
              prompts: active.prompts.map((prompt) => prompt.id),
              attempt: active.attempt,
              owner: active.owner,
              agent: active.agent,
              condition: isClosing(active)
                ? "closing"
                : isStopping(active)
                  ? "stopping"
                  : "running",
              stopBy: active.stop?.by ?? null,
              stage: isClosing(active) ? null : active.stage,
              step: active.step,
              calls: active.calls.map((call) => [call.id, call.started, call.gate]),
              asks: active.asks.map((ask) => ask.id),
              children: active.children.map((child) => [child.promptId, child.settled]),
              usage: active.usage,
              waitsFor: isClosing(active) || isStopping(active) ? null : waits(active),
            },
    holds: lane.holds.map((hold) => hold.kind),
    background: lane.background.map((child) => child.promptId),
    prompts: lane.prompts
      .toSorted((left, right) => left.seq - right.seq)
      .map((prompt) => [
        prompt.id,
        prompt.seq,
        prompt.hash,
        prompt.body,
        prompt.status,
        prompt.run,
        prompt.outcome?.status ?? null,
        prompt.outcome?.reason ?? null,
        prompt.cancelled?.toSorted() ?? null,
      ]),
    asks: [...lane.asks.values()].map((ask) => [ask.id, ask.resolution]),
    receipts: [...lane.receipts].map(([id, receipt]) => [
      id,
      receipt.covered
        .map(({ id: promptId, was, run }) => [promptId, was, run].join(" "))
        .toSorted(),
      receipt.work.toSorted(),
      receipt.children.toSorted(),
      receipt.background.toSorted(),
    ]),
    works: lane.works.map(({ id, name, body, owner, ended }) => [
      id,
      name,
      body,
      owner,
      ended?.cause ?? null,
      ended?.result ?? null,
    ]),
    results: [...lane.results].map((result) => result.join(" ")).toSorted(),
    usage: lane.usage,
    ready: readyOf(lane),
    dueAt: dueOf(lane),
  };
}

function waits(run: RunRecord): string | null {
  return run.waitsFor?.id ?? null;
}

function inOrder<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return items.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

export function accountsOfModel(model: Model): unknown {
  return inOrder([...model.accounts.values()]).map(({ id, limit, used, asks, ask, waiting }) => [
    id,
    limit,
    used,
    asks ? "ask" : "fail",
    ask?.id ?? null,
    waiting.map(({ run }) => run.id).toSorted(),
  ]);
}

export function accountsOfKernel(store: MemoryStore): unknown {
  return inOrder([...store.accounts.values()]).map(
    ({ id, limit, spent, onBudget, ask, waiting }) => [
      id,
      limit,
      spent,
      onBudget,
      ask?.askId ?? null,
      waiting.map(({ runId }) => runId).toSorted(),
    ],
  );
}

/** L3: what the lane needs, computed only from its current state. */
function readyOf(lane: Lane): string | null {
  const { active } = lane;
  const first = lane.queue[0];
  if (active === null) {
    if (first?.kind === "work") return "work";
    return lane.holds.length > 0 || first === undefined ? null : "start";
  }
  const kept = lane.holds.some((hold) => hold.kind === "recovery");
  if (active.kind === "work" || active.owner !== null || isClosing(active) || kept) return null;
  return "takeOver";
}

/** The next time at which the lane changes without a command. */
function dueOf(lane: Lane): number | null {
  const { active } = lane;
  const run = active?.kind === "run" ? active : null;
  const times = [
    ...lane.queue.map((item) => (item.kind === "prompt" ? item.expiresAt : null)),
    ...lane.holds.map((hold) => hold.retryAt),
    ...(run?.asks.map((ask) => ask.expiresAt) ?? []),
    run?.stop === null ? run.deadline : (run?.stop.by ?? null),
    active?.kind === "work" ? active.stopBy : null,
  ].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

export function viewOfKernel(lane: StoredLane): unknown {
  const { state } = lane;
  const { active } = state;
  const rows = [...lane.prompts.values()].toSorted((a, b) => a.acceptSeq - b.acceptSeq);
  return {
    status: state.status,
    title: state.title,
    mode: state.mode,
    agent: state.agent,
    archived: state.archived,
    fence: state.fence,
    queue: state.queue.map((item) =>
      item.kind === "work"
        ? item.workId
        : [item.promptId, item.binding?.runId ?? null, item.revision],
    ),
    active:
      active === null
        ? null
        : active.kind === "work"
          ? {
              work: active.workId,
              stopBy: active.condition.status === "stopping" ? active.condition.deadline : null,
            }
          : {
              run: active.runId,
              prompts: active.prompts.map(itemId),
              attempt: active.attempt,
              owner: active.owner,
              agent: active.agent,
              condition: active.condition.status,
              stopBy: active.condition.status === "stopping" ? active.condition.deadline : null,
              stage: active.condition.status === "closing" ? null : active.stage,
              step: active.step,
              calls: active.tools.map((call) => [call.callId, call.started, call.gate]),
              asks: active.asks.map((ask) => ask.askId),
              children: active.children.map((child) => [child.promptId, child.outcome !== null]),
              usage: active.usage,
              waitsFor: active.condition.status === "running" ? active.waitsFor : null,
            },
    holds: state.holds.map((hold) => hold.kind),
    background: state.background.map((child) => child.promptId),
    prompts: rows.map((row) => [
      row.promptId,
      row.acceptSeq,
      row.resultOf === null ? row.contentHash : null,
      row.body,
      row.status,
      row.runId,
      row.outcome?.status ?? null,
      row.outcome?.reason ?? null,
      row.receipt?.covered.map((covered) => covered.promptId).toSorted() ?? null,
    ]),
    asks: [...lane.asks.values()].map((ask) => [ask.askId, ask.closed?.resolution.kind ?? null]),
    receipts: [...lane.receipts].map(([id, receipt]) => [
      id,
      receipt.covered
        .map(({ promptId, was, runId }) => [promptId, was, runId].join(" "))
        .toSorted(),
      receipt.work.toSorted(),
      receipt.children.map(nameOf).toSorted(),
      receipt.background.map(nameOf).toSorted(),
    ]),
    works: [...lane.works.values()].map(({ workId, name, body, started, ended }) => [
      workId,
      name,
      body,
      started?.owner ?? null,
      ended?.cause ?? null,
      ended?.body ?? null,
    ]),
    results: lane.log
      .flatMap((event) => (event.type === "tool.ended" ? [`${event.callId} ${event.status}`] : []))
      .toSorted(),
    usage: state.usage,
    ready: attention(state).ready,
    dueAt: attention(state).dueAt,
  };
}

function nameOf(child: { sessionId: string; promptId: string }): string {
  return `${child.sessionId}/${child.promptId}`;
}
