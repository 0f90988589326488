import type { WireEvent } from "@holdfast/sdk";
import { changeCall, newCall, promptEntryId, putEntry, stepId, stepOf } from "./conversation.ts";
import type { Conversation, Notice, RunView, StepEntry } from "./conversation.ts";
import { acceptPrompt, changePrompt, enterPrompt, returnPrompt } from "./take-prompt.ts";

type EventOf<Type extends WireEvent["type"]> = Extract<WireEvent, { type: Type }>;

/**
 * Takes the next event in. The log may begin in the middle: of what came before only as much is
 * known as later events say.
 */
export function takeEvent(conversation: Conversation, event: WireEvent): void {
  const notice = (notice: Notice): void =>
    putEntry(conversation, {
      kind: "notice",
      id: `notice:${event.seq}`,
      at: event.at,
      actor: event.actor,
      notice,
    });
  switch (event.type) {
    case "session.created":
      if (event.origin !== null) {
        const from = event.origin.kind === "fork" ? event.origin.sessionId : null;
        notice({ type: "forked", from });
      }
      return;
    case "session.deleted":
      notice({ type: "deleted" });
      return;
    case "prompt.accepted":
      acceptPrompt(conversation, event);
      return;
    case "prompt.edited":
      changePrompt(conversation, event.promptId, {
        text: event.content?.text ?? null,
        attachments: event.content?.attachments ?? [],
        agent: event.content?.agent ?? null,
        command: event.content?.command?.name ?? null,
        revision: event.revision,
        cutAt: event.truncated ? event.seq : null,
      });
      return;
    case "prompt.moved":
      if (event.unbound) changePrompt(conversation, event.promptId, { steers: null });
      return;
    case "prompt.takenIn":
      enterPrompt(conversation, event, { runId: event.runId, isTakenIn: true });
      if (event.runId !== null) joinRun(conversation, event.runId, event.promptId);
      return;
    case "prompt.returned":
      returnPrompt(conversation, event.promptId);
      return;
    case "prompt.settled":
    case "prompt.tombstoned":
      settlePrompt(conversation, event);
      return;
    case "run.started":
      putRun(conversation, event.runId, {
        startedAt: event.at,
        attempt: event.attempt,
        promptIds: [event.promptId],
      });
      enterPrompt(conversation, event, { runId: event.runId, isTakenIn: false });
      if (event.without !== undefined && event.without.length > 0) {
        notice({ type: "lacking", runId: event.runId, without: event.without });
      }
      return;
    case "run.resumed": {
      const { runId, attempt, without = [] } = event;
      putRun(conversation, runId, { attempt });
      notice({ type: "resumed", runId, attempt, without });
      return;
    }
    case "run.suspended":
      notice({ type: "suspended", runId: event.runId });
      return;
    case "run.stopping":
      putRun(conversation, event.runId, { isStopping: true });
      return;
    case "run.ended":
      endRun(conversation, event);
      if (event.outcome.status === "failed") {
        const { runId, outcome } = event;
        notice({ type: "runEnded", runId, outcome, text: event.content?.text ?? null });
      }
      return;
    case "step.opened":
      openStep(conversation, event);
      return;
    case "step.answered":
      answerStep(conversation, event);
      return;
    case "tool.started":
      changeCall(conversation, event.callId, (call) => ({
        ...call,
        status: "running",
        intent: event.content?.summary ?? call.intent,
        startedAt: event.at,
      }));
      return;
    case "tool.ended":
      endTool(conversation, event);
      return;
    case "ask.opened":
      openAsk(conversation, event);
      return;
    case "ask.closed":
      closeAsk(conversation, event);
      return;
    case "child.linked":
      linkChild(conversation, event);
      return;
    case "child.settled":
      settleChild(conversation, event);
      return;
    case "prompt.unwanted":
    case "branch.ended":
      return;
    case "cancel.committed":
      if (event.receipt.covered.length > 0) notice({ type: "cancelled", receipt: event.receipt });
      return;
    case "hold.placed":
      notice({ type: "held", hold: event.hold });
      return;
    case "hold.released":
      if (event.cause !== "runEnded") notice({ type: "released", cause: event.cause });
      return;
    case "work.ended":
      notice({
        type: "workEnded",
        name: conversation.works.get(event.workId) ?? event.workId,
        cause: event.cause,
      });
      return;
    case "work.queued":
      conversation.works.set(event.workId, event.name);
      return;
    case "session.renamed":
    case "session.archived":
    case "run.handedOver":
    case "run.closing":
    case "run.waiting":
    case "run.woken":
    case "work.started":
    case "work.stopping":
      return;
  }
}

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

function endRun(conversation: Conversation, event: EventOf<"run.ended">): void {
  putRun(conversation, event.runId, {
    endedAt: event.at,
    outcome: event.outcome,
    usage: event.usage,
  });
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
  // One that never entered is shown where it ended; one that entered before this part of the log is
  // not in it at all.
  if (prompt !== undefined && (prompt.enteredAt !== null || outcome.runId === null)) {
    putEntry(conversation, { kind: "prompt", id: promptEntryId(promptId), prompt });
  }
}

function openStep(conversation: Conversation, event: EventOf<"step.opened">): void {
  const id = stepId(event.runId, event.step);
  const before = stepOf(conversation, id);
  if (before !== null) {
    // A step that is tried again begins anew; what the earlier try said was never committed.
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
  // The entry that shows it is a new one now, so that whoever compares entries sees the change.
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
