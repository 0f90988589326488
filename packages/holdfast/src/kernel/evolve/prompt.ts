import type { EventOf } from "../event.ts";
import { addUsage, itemId } from "../state.ts";
import type { LaneState, QueueItem, UnsettledPrompt } from "../state.ts";
import { hasDescendants, sameChild, unsettled } from "../tree.ts";
import { isPrompt, onRun } from "./part.ts";

export function accepted(state: LaneState, event: EventOf<"prompt.accepted">): LaneState {
  const result = event.resultOf;
  const child =
    result === null ? undefined : state.background.find((each) => sameChild(each, result));
  const prompt: UnsettledPrompt = {
    kind: "prompt",
    promptId: event.promptId,
    acceptSeq: event.seq,
    parent: event.parent,
    revision: 1,
    binding: event.binding,
    reply: event.reply,
    expiresAt: event.expiresAt,
    maxRunTime: event.maxRunTime,
    budget: event.budget,
    origin: child?.origin ?? null,
    unwanted: false,
    onBudget: event.onBudget ?? "fail",
    accounts: event.accounts ?? [],
    directories: event.directories ?? null,
  };
  const next = { ...state, archived: false, queue: [...state.queue, prompt] };
  if (result === null) return next;
  return {
    ...next,
    background: state.background.filter((each) => each !== child),
    branches:
      child === undefined || result.branch === undefined
        ? state.branches
        : [...state.branches, child],
    usage: addUsage(state.usage, result.usage),
  };
}

export function moved(state: LaneState, event: EventOf<"prompt.moved">): LaneState {
  const item = state.queue.find((candidate) => isPrompt(candidate, event.promptId));
  if (item?.kind !== "prompt") return state;
  const rest = state.queue.filter((candidate) => candidate !== item);
  const found = rest.findIndex((other) => itemId(other) === event.before);
  const place = found === -1 ? rest.length : found;
  const entry = event.unbound ? { ...item, binding: null } : item;
  return { ...state, queue: [...rest.slice(0, place), entry, ...rest.slice(place)] };
}

export function takenIn(state: LaneState, event: EventOf<"prompt.takenIn">): LaneState {
  const item = state.queue.find((candidate) => isPrompt(candidate, event.promptId));
  if (item?.kind !== "prompt") return state;
  const queue = state.queue.filter((candidate) => candidate !== item);
  return onRun({ ...state, queue }, (run) => ({
    ...run,
    prompts: [...run.prompts, { ...item, binding: null }],
  }));
}

export function returned(state: LaneState, promptId: string): LaneState {
  const prompt =
    state.active?.kind === "run"
      ? state.active.prompts.find((candidate) => candidate.promptId === promptId)
      : undefined;
  if (prompt === undefined) return state;
  const later = state.queue.findIndex((item) => item.acceptSeq > prompt.acceptSeq);
  const place = later === -1 ? state.queue.length : later;
  return {
    ...left(state, promptId),
    queue: [...state.queue.slice(0, place), prompt, ...state.queue.slice(place)],
  };
}

/** Removes a settled prompt from the state. Its parent link is kept while the prompt has live descendants. */
export function settled(state: LaneState, promptId: string): LaneState {
  const next = left(state, promptId);
  if (!hasDescendants(next, promptId)) return next;
  const prompt = unsettled(state).find((candidate) => candidate.promptId === promptId);
  if (prompt === undefined) return next;
  const { acceptSeq, parent } = prompt;
  return { ...next, ancestors: [...state.ancestors, { promptId, acceptSeq, parent }] };
}

export function unwanted(state: LaneState, promptId: string): LaneState {
  return onRun(state, (run) => ({
    ...run,
    prompts: run.prompts.map((prompt) =>
      prompt.promptId === promptId ? { ...prompt, unwanted: true } : prompt,
    ),
  }));
}

function left(state: LaneState, promptId: string): LaneState {
  const queue = state.queue.filter((item) => !isPrompt(item, promptId));
  return onRun({ ...state, queue }, (run) => ({
    ...run,
    prompts: run.prompts.filter((prompt) => prompt.promptId !== promptId),
  }));
}

/** Converts a steered prompt whose run has ended to an ordinary prompt, at the same position in the queue (L6). */
export function unbound(item: QueueItem, runId: string): QueueItem {
  return item.kind === "prompt" && item.binding?.runId === runId
    ? { ...item, binding: null }
    : item;
}
