import type { WireEvent } from "@holdfast/sdk";
import { addedText } from "./added-text.ts";
import {
  changeCall,
  newCall,
  promptEntryId,
  putEntry,
  removeEntry,
  stepId,
  stepOf,
} from "./conversation.ts";
import type { Conversation, Notice, RunView, StepEntry } from "./conversation.ts";
import { acceptPrompt, changePrompt, enterPrompt, returnPrompt } from "./take-prompt.ts";

type EventOf<Type extends WireEvent["type"]> = Extract<WireEvent, { type: Type }>;

/**
 * Applies the next event to the conversation. The log may begin in the middle: then earlier state is known only as far
 * as later events show it.
 */
export function takeEvent(conversation: Conversation, event: WireEvent): void {
  const entry = { id: `notice:${event.seq}`, at: event.at, actor: event.actor };
  const takers: { readonly [type: string]: Taker<WireEvent> | undefined } = takerOf;
  takers[event.type]?.(conversation, event, (notice) =>
    putEntry(conversation, { kind: "notice", ...entry, notice }),
  );
}

type Taker<Event> = Takers<Event>["take"];

// `take` is declared as a method, because TypeScript compares the parameters of methods less strictly: a handler for
// one event type can then be used as a handler for any event.
interface Takers<Event> {
  take(conversation: Conversation, event: Event, notice: (notice: Notice) => void): void;
}

/** Handlers by event type. Events without a handler do not change what people see. */
const takerOf: { readonly [Type in WireEvent["type"]]?: Taker<EventOf<Type>> } = {
  "session.created": (_conversation, event, notice) => {
    if (event.origin !== null) {
      const from = event.origin.kind === "fork" ? event.origin.sessionId : null;
      notice({ type: "forked", from });
    }
  },
  "session.deleted": (_conversation, _event, notice) => {
    notice({ type: "deleted" });
  },
  "prompt.accepted": acceptPrompt,
  "prompt.edited": (conversation, event) => {
    changePrompt(conversation, event.promptId, {
      text: event.content?.text ?? null,
      attachments: event.content?.attachments ?? [],
      agent: event.content?.agent ?? null,
      command: event.content?.command?.name ?? null,
      revision: event.revision,
      cutAt: event.truncated ? event.seq : null,
    });
  },
  "prompt.moved": (conversation, event) => {
    if (event.unbound) changePrompt(conversation, event.promptId, { steers: null });
  },
  "prompt.takenIn": (conversation, event) => {
    enterPrompt(conversation, event, { runId: event.runId, isTakenIn: true });
    if (event.runId === null) return;
    joinRun(conversation, event.runId, event.promptId);
    moveRepeatedStep(conversation, event.runId);
  },
  "prompt.returned": (conversation, event) => {
    returnPrompt(conversation, event.promptId);
    leaveRun(conversation, event.runId, event.promptId);
  },
  "prompt.settled": settlePrompt,
  "prompt.tombstoned": settlePrompt,
  "run.started": (conversation, event, notice) => {
    putRun(conversation, event.runId, {
      startedAt: event.at,
      attempt: event.attempt,
      promptIds: [event.promptId],
    });
    enterPrompt(conversation, event, { runId: event.runId, isTakenIn: false });
    if (event.without !== undefined && event.without.length > 0) {
      notice({ type: "lacking", runId: event.runId, without: event.without });
    }
  },
  "run.resumed": (conversation, event, notice) => {
    const { runId, attempt, without = [] } = event;
    putRun(conversation, runId, { attempt });
    notice({ type: "resumed", runId, attempt, without });
  },
  "run.suspended": (_conversation, event, notice) => {
    notice({ type: "suspended", runId: event.runId });
  },
  "run.stopping": (conversation, event) => {
    putRun(conversation, event.runId, { isStopping: true });
  },
  "run.ended": (conversation, event, notice) => {
    endRun(conversation, event);
    if (event.outcome.status === "failed") {
      const { runId, outcome } = event;
      notice({ type: "runEnded", runId, outcome, text: event.content?.text ?? null });
    }
    const text = addedToAnswer(conversation, event);
    if (text !== "") notice({ type: "added", runId: event.runId, text });
  },
  "step.opened": openStep,
  "step.answered": answerStep,
  "tool.started": (conversation, event) => {
    changeCall(conversation, event.callId, (call) => ({
      ...call,
      status: "running",
      intent: event.content?.summary ?? call.intent,
      startedAt: event.at,
    }));
  },
  "tool.ended": endTool,
  "ask.opened": openAsk,
  "ask.closed": closeAsk,
  "child.linked": linkChild,
  "child.settled": settleChild,
  "cancel.committed": (_conversation, event, notice) => {
    if (event.receipt.covered.length > 0) notice({ type: "cancelled", receipt: event.receipt });
  },
  "hold.placed": (_conversation, event, notice) => {
    notice({ type: "held", hold: event.hold });
  },
  "hold.released": (_conversation, event, notice) => {
    if (event.cause !== "runEnded") notice({ type: "released", cause: event.cause });
  },
  "work.ended": (conversation, event, notice) => {
    notice({
      type: "workEnded",
      name: conversation.works.get(event.workId) ?? event.workId,
      cause: event.cause,
    });
  },
  "work.queued": (conversation, event) => {
    conversation.works.set(event.workId, event.name);
  },
};

function putRun(
  conversation: Conversation,
  runId: string,
  change: Partial<Omit<RunView, "runId">>,
): void {
  const before = conversation.runs.get(runId);
  const unknown: RunView = {
    runId,
    startedAt: 0,
    endedAt: null,
    attempt: 1,
    isStopping: false,
    promptIds: [],
    model: null,
    hasCalls: false,
    outcome: null,
    usage: null,
  };
  conversation.runs.set(runId, { ...(before ?? unknown), ...change });
}

function joinRun(conversation: Conversation, runId: string, promptId: string): void {
  const promptIds = conversation.runs.get(runId)?.promptIds ?? [];
  if (!promptIds.includes(promptId)) {
    putRun(conversation, runId, { promptIds: [...promptIds, promptId] });
  }
}

function leaveRun(conversation: Conversation, runId: string, promptId: string): void {
  const run = conversation.runs.get(runId);
  if (run === undefined) return;
  putRun(conversation, runId, { promptIds: run.promptIds.filter((id) => id !== promptId) });
}

/**
 * Moves the last step of a run below a prompt that has just joined, if an earlier attempt has opened the step. The run
 * repeats this step, so its answer takes the prompt into account.
 */
function moveRepeatedStep(conversation: Conversation, runId: string): void {
  const step = lastStep(conversation, runId);
  const attempt = conversation.runs.get(runId)?.attempt ?? 1;
  if (step === null || step.answeredAt !== null || step.attempt >= attempt) return;
  removeEntry(conversation, step.id);
  putEntry(conversation, step);
}

function lastStep({ entries }: Conversation, runId: string): StepEntry | null {
  const last = entries.findLast((entry) => entry.kind === "step" && entry.runId === runId);
  return last?.kind === "step" ? last : null;
}

function endRun(conversation: Conversation, event: EventOf<"run.ended">): void {
  putRun(conversation, event.runId, {
    endedAt: event.at,
    outcome: event.outcome,
    usage: event.usage,
  });
}

/** Returns the text that the result of the run adds to its last answer. Empty if one of both is not known in full. */
function addedToAnswer(conversation: Conversation, event: EventOf<"run.ended">): string {
  const last = lastStep(conversation, event.runId);
  if (last === null || last.cutAt !== null || event.truncated) return "";
  return addedText(last.text, event.content?.text ?? "");
}

function settlePrompt(
  conversation: Conversation,
  event: EventOf<"prompt.settled" | "prompt.tombstoned">,
): void {
  const { promptId, outcome } = event;
  const runId = outcome.runId;
  const settled = { outcome, settledAt: event.at, settleSeq: event.seq };
  changePrompt(conversation, promptId, { ...settled, runId, steers: null });
  const prompt = conversation.prompts.get(promptId);
  // A prompt that no run used is shown at the place where it ended. Any other prompt is shown only if the loaded part
  // of the log contains the event with which the prompt joined its run.
  if (prompt !== undefined && (prompt.enteredAt !== null || outcome.runId === null)) {
    putEntry(conversation, { kind: "prompt", id: promptEntryId(promptId), prompt });
  }
}

function openStep(conversation: Conversation, event: EventOf<"step.opened">): void {
  const id = stepId(event.runId, event.step);
  const before = stepOf(conversation, id);
  if (before !== null) {
    // The step was retried and starts over. The text of the earlier attempt was never committed.
    putEntry(conversation, { ...before, attempt: event.attempt });
    return;
  }
  putEntry(conversation, newStep(id, event));
}

function newStep(
  id: string,
  event: { runId: string; step: number; attempt: number; at: number },
): StepEntry {
  return {
    kind: "step",
    id,
    runId: event.runId,
    step: event.step,
    attempt: event.attempt,
    openedAt: event.at,
    answeredAt: null,
    text: "",
    reasoning: null,
    model: null,
    isSummary: false,
    isInterrupted: false,
    cutAt: null,
    usage: null,
    calls: [],
  };
}

function answerStep(conversation: Conversation, event: EventOf<"step.answered">): void {
  const id = stepId(event.runId, event.step);
  const before = stepOf(conversation, id) ?? newStep(id, event);
  const { content } = event;
  const calls = event.calls.map(({ callId, name }) => {
    const whole = content?.calls.find((call) => call.callId === callId);
    return newCall({ callId, name, input: whole?.input ?? null });
  });
  for (const { callId } of calls) conversation.calls.set(callId, id);
  const model = content?.model ?? null;
  putRun(conversation, event.runId, {
    ...(model === null ? {} : { model }),
    ...(calls.length === 0 ? {} : { hasCalls: true }),
  });
  putEntry(conversation, {
    ...before,
    attempt: event.attempt,
    answeredAt: event.at,
    text: content?.text ?? "",
    reasoning: content?.reasoning ?? null,
    model,
    isSummary: content?.summary ?? false,
    isInterrupted: event.interrupted,
    cutAt: event.truncated ? event.seq : null,
    usage: event.usage,
    ...(content?.context === undefined ? {} : { context: content.context }),
    calls,
  });
}

function endTool(conversation: Conversation, event: EventOf<"tool.ended">): void {
  const isStopped = conversation.runs.get(event.runId)?.isStopping === true;
  changeCall(conversation, event.callId, (call) => {
    const neverBegan = event.status === "interrupted" && call.startedAt === null;
    return {
      ...call,
      status: neverBegan && isStopped ? "cancelled" : event.status,
      output: event.content?.output ?? "",
      extra: event.content?.extra ?? null,
      files: event.content?.files ?? [],
      cutAt: event.truncated ? event.seq : null,
      endedAt: event.at,
      endSeq: event.seq,
    };
  });
}

function openAsk(conversation: Conversation, event: EventOf<"ask.opened">): void {
  const { askId, runId, callId, content } = event;
  conversation.asks.set(askId, {
    askId,
    runId,
    callId,
    question: content?.question ?? "",
    extra: content?.extra ?? null,
    openedAt: event.at,
    expiresAt: event.expiresAt,
    closed: null,
  });
  if (callId === null || !conversation.calls.has(callId)) {
    putEntry(conversation, { kind: "ask", id: `ask:${askId}`, askId });
  } else changeCall(conversation, callId, (call) => ({ ...call, askId }));
}

function closeAsk(conversation: Conversation, event: EventOf<"ask.closed">): void {
  const ask = conversation.asks.get(event.askId);
  if (ask === undefined) return;
  const { resolution, actor, at, content } = event;
  conversation.asks.set(event.askId, {
    ...ask,
    closed: { resolution, actor, at, answer: content },
  });
  // Replace the entry with a copy, so that comparing entries shows the change.
  if (ask.callId !== null && conversation.calls.has(ask.callId)) {
    changeCall(conversation, ask.callId, (call) => ({ ...call }));
  } else putEntry(conversation, { kind: "ask", id: `ask:${ask.askId}`, askId: ask.askId });
}

function linkChild(conversation: Conversation, event: EventOf<"child.linked">): void {
  if (event.callId === null) return;
  const { childSessionId: sessionId, childPromptId: promptId, background } = event;
  changeCall(conversation, event.callId, (call) => ({
    ...call,
    child: { sessionId, promptId, background, outcome: null },
  }));
}

function settleChild(conversation: Conversation, event: EventOf<"child.settled">): void {
  for (const entry of conversation.entries) {
    if (entry.kind !== "step") continue;
    const call = entry.calls.find(
      ({ child }) =>
        child?.sessionId === event.childSessionId && child.promptId === event.childPromptId,
    );
    if (call === undefined || call.child === null) continue;
    const child = { ...call.child, outcome: event.outcome };
    changeCall(conversation, call.callId, (before) => ({ ...before, child }));
    return;
  }
}
