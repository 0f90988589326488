import type { LaneEvent } from "./event.ts";
import { addUsage, itemId, noUsage } from "./state.ts";
import type {
  Child,
  ChildReference,
  LaneState,
  QueueItem,
  Run,
  ToolCall,
  UnsettledPrompt,
  Work,
} from "./state.ts";

/** Folds one event into the state. It decides nothing and never refuses: the event has happened. */
export function evolve(state: LaneState | null, event: LaneEvent): LaneState {
  if (event.type === "session.created") return createdLane(event);
  if (state === null) throw new Error(`${event.type} before session.created`);
  return { ...change(state, event), seq: event.seq };
}

type EventOf<T extends LaneEvent["type"]> = Extract<LaneEvent, { type: T }>;

function createdLane(event: EventOf<"session.created">): LaneState {
  return {
    sessionId: event.sessionId,
    status: "open",
    contentHash: event.contentHash,
    directory: event.directory,
    parent: event.parent,
    seq: event.seq,
    fence: 0,
    queue: [],
    active: null,
    holds: [],
    background: [],
    usage: noUsage,
    budget: event.budget,
  };
}

function change(
  state: LaneState,
  event: Exclude<LaneEvent, { type: "session.created" }>,
): LaneState {
  switch (event.type) {
    case "session.deleted":
      return { ...state, status: "deleted", background: [] };
    case "prompt.accepted":
      return accepted(state, event);
    case "prompt.edited":
      return onPrompt(state, event.promptId, (prompt) => ({
        ...prompt,
        body: event.body,
        revision: event.revision,
      }));
    case "prompt.moved":
      return moved(state, event);
    case "prompt.takenIn":
      return takenIn(state, event);
    case "prompt.returned":
      return returned(state, event.promptId);
    case "prompt.settled":
      return settled(state, event.promptId);
    case "prompt.tombstoned":
    case "cancel.committed":
      return state;
    case "run.started":
      return started(state, event);
    case "run.resumed":
      return { ...onRun(state, (run) => resumed(run, event)), fence: event.fence };
    case "run.suspended":
      return {
        ...onRun(state, (run) => ({
          ...run,
          owner: null,
          attempt: event.attempt,
          cutOffAt: event.cutOffAt,
        })),
        fence: event.fence,
      };
    case "run.handedOver":
      return onRun(state, (run) => ({
        ...run,
        owner: null,
        cutOffAt: event.at,
        tries: {
          total: run.tries.total - 1,
          sinceStep: Math.max(0, run.tries.sinceStep - 1),
        },
      }));
    case "run.stopping":
      return onRun(state, (run) => ({
        ...run,
        condition: {
          status: "stopping",
          outcome: event.outcome,
          mark: event.mark,
          deadline: event.deadline,
        },
      }));
    case "run.closing":
      return onRun(state, (run) => ({
        ...run,
        owner: null,
        attempt: event.attempt,
        condition: { status: "closing", outcome: event.outcome, mark: event.mark },
      }));
    case "run.ended":
      return {
        ...state,
        active: null,
        queue: state.queue.map((item) => unbound(item, event.runId)),
        usage: addUsage(state.usage, event.usage),
      };
    case "step.opened":
      return onRun(state, (run) => ({ ...run, stage: "model", step: event.step }));
    case "step.answered":
      return onRun(state, (run) => answered(run, event));
    case "tool.started":
      return onTool(state, event.callId, (tool) => ({ ...tool, started: true }));
    case "tool.ended":
      return onRun(state, (run) => ({
        ...run,
        tools: run.tools.filter((tool) => tool.callId !== event.callId),
      }));
    case "ask.opened":
      return askOpened(state, event);
    case "ask.closed":
      return askClosed(state, event);
    case "child.linked":
      return linked(state, event);
    case "child.settled":
      return childSettled(state, event);
    case "hold.placed":
      return { ...state, holds: [...state.holds, event.hold] };
    case "hold.released":
      return released(state, event.holdId);
    case "work.queued": {
      const { workId, name, seq } = event;
      return { ...state, queue: [...state.queue, { kind: "work", workId, name, acceptSeq: seq }] };
    }
    case "work.started":
      return workStarted(state, event);
    case "work.stopping":
      return onWork(state, (work) => ({
        ...work,
        condition: { status: "stopping", deadline: event.deadline },
      }));
    case "work.ended":
      return {
        ...state,
        active: state.active?.kind === "work" ? null : state.active,
        queue: state.queue.filter((item) => item.kind !== "work" || item.workId !== event.workId),
      };
  }
}

function onRun(state: LaneState, update: (run: Run) => Run): LaneState {
  if (state.active?.kind !== "run") return state;
  return { ...state, active: update(state.active) };
}

function onWork(state: LaneState, update: (work: Work) => Work): LaneState {
  if (state.active?.kind !== "work") return state;
  return { ...state, active: update(state.active) };
}

function onTool(state: LaneState, callId: string, update: (tool: ToolCall) => ToolCall): LaneState {
  return onRun(state, (run) => ({
    ...run,
    tools: run.tools.map((tool) => (tool.callId === callId ? update(tool) : tool)),
  }));
}

function onPrompt(
  state: LaneState,
  promptId: string,
  update: (prompt: UnsettledPrompt) => UnsettledPrompt,
): LaneState {
  return {
    ...state,
    queue: state.queue.map((item) => (isPrompt(item, promptId) ? update(item) : item)),
  };
}

function isPrompt(item: QueueItem, promptId: string): item is UnsettledPrompt {
  return item.kind === "prompt" && item.promptId === promptId;
}

function accepted(state: LaneState, event: EventOf<"prompt.accepted">): LaneState {
  const prompt: UnsettledPrompt = {
    kind: "prompt",
    promptId: event.promptId,
    acceptSeq: event.seq,
    contentHash: event.contentHash,
    body: event.body,
    parent: event.parent,
    revision: 1,
    binding: event.binding,
    reply: event.reply,
    expiresAt: event.expiresAt,
    maxRunTime: event.maxRunTime,
    budget: event.budget,
  };
  const result = event.resultOf;
  const next = { ...state, queue: [...state.queue, prompt] };
  if (result === null) return next;
  return {
    ...next,
    background: state.background.filter((child) => !sameChild(child, result)),
    usage: addUsage(state.usage, result.usage),
  };
}

function sameChild(left: ChildReference, right: ChildReference): boolean {
  return left.sessionId === right.sessionId && left.promptId === right.promptId;
}

function moved(state: LaneState, event: EventOf<"prompt.moved">): LaneState {
  const item = state.queue.find((candidate) => isPrompt(candidate, event.promptId));
  if (item?.kind !== "prompt") return state;
  const rest = state.queue.filter((candidate) => candidate !== item);
  const found = rest.findIndex((other) => itemId(other) === event.before);
  const place = found === -1 ? rest.length : found;
  const entry = event.unbound ? { ...item, binding: null } : item;
  return { ...state, queue: [...rest.slice(0, place), entry, ...rest.slice(place)] };
}

function takenIn(state: LaneState, event: EventOf<"prompt.takenIn">): LaneState {
  const item = state.queue.find((candidate) => isPrompt(candidate, event.promptId));
  if (item?.kind !== "prompt") return state;
  const queue = state.queue.filter((candidate) => candidate !== item);
  return onRun({ ...state, queue }, (run) => ({
    ...run,
    prompts: [...run.prompts, { ...item, binding: null }],
  }));
}

function returned(state: LaneState, promptId: string): LaneState {
  const prompt =
    state.active?.kind === "run"
      ? state.active.prompts.find((candidate) => candidate.promptId === promptId)
      : undefined;
  if (prompt === undefined) return state;
  const later = state.queue.findIndex((item) => item.acceptSeq > prompt.acceptSeq);
  const place = later === -1 ? state.queue.length : later;
  return {
    ...settled(state, promptId),
    queue: [...state.queue.slice(0, place), prompt, ...state.queue.slice(place)],
  };
}

function settled(state: LaneState, promptId: string): LaneState {
  const queue = state.queue.filter((item) => !isPrompt(item, promptId));
  return onRun({ ...state, queue }, (run) => ({
    ...run,
    prompts: run.prompts.filter((prompt) => prompt.promptId !== promptId),
  }));
}

function started(state: LaneState, event: EventOf<"run.started">): LaneState {
  const { runId, promptId, attempt, owner, generation, limits, deadline } = event;
  return {
    ...state,
    fence: event.fence,
    queue: state.queue.filter((item) => !isPrompt(item, promptId)),
    active: {
      kind: "run",
      runId,
      startedBy: promptId,
      attempt,
      owner,
      generation,
      condition: { status: "running" },
      prompts: state.queue.filter((item) => isPrompt(item, promptId)),
      stage: "boundary",
      step: 0,
      tools: [],
      asks: [],
      children: [],
      tries: { total: 1, sinceStep: 1 },
      usage: noUsage,
      limits,
      deadline,
      cutOffAt: null,
      released: false,
    },
  };
}

function resumed(run: Run, event: EventOf<"run.resumed">): Run {
  return {
    ...run,
    owner: event.owner,
    attempt: event.attempt,
    generation: event.generation,
    tries: { total: run.tries.total + 1, sinceStep: run.tries.sinceStep + 1 },
    // What is not in doubt by now may be begun again.
    tools: run.tools.map((tool) => ({ ...tool, started: false })),
    cutOffAt: null,
    released: false,
  };
}

/** A steer whose run has ended waits where it stands, as an ordinary prompt (L6). */
function unbound(item: QueueItem, runId: string): QueueItem {
  return item.kind === "prompt" && item.binding?.runId === runId
    ? { ...item, binding: null }
    : item;
}

function answered(run: Run, event: EventOf<"step.answered">): Run {
  return {
    ...run,
    stage: "tools",
    tools: event.calls.map(({ callId, repeatable }) => ({
      callId,
      repeatable,
      started: false,
      gate: "open",
    })),
    tries: { ...run.tries, sinceStep: 0 },
    usage: addUsage(run.usage, event.usage),
  };
}

function askOpened(state: LaneState, event: EventOf<"ask.opened">): LaneState {
  const { askId, callId, expiresAt } = event;
  const next = onRun(state, (run) => ({
    ...run,
    asks: [...run.asks, { askId, callId, expiresAt }],
  }));
  return callId === null ? next : onTool(next, callId, (tool) => ({ ...tool, gate: "asking" }));
}

function askClosed(state: LaneState, event: EventOf<"ask.closed">): LaneState {
  const { askId, resolution } = event;
  const allowed = resolution.kind === "answered" && resolution.verdict === "allow";
  return onRun(state, (run) => {
    const ask = run.asks.find((candidate) => candidate.askId === askId);
    return {
      ...run,
      asks: run.asks.filter((candidate) => candidate !== ask),
      tools: run.tools.map((tool) =>
        tool.callId === ask?.callId ? { ...tool, gate: allowed ? "open" : "denied" } : tool,
      ),
    };
  });
}

function linked(state: LaneState, event: EventOf<"child.linked">): LaneState {
  const child = { sessionId: event.childSessionId, promptId: event.childPromptId };
  if (event.background) {
    return { ...state, background: [...state.background, { ...child, runId: event.runId }] };
  }
  return onRun(state, (run) => ({
    ...run,
    children: [...run.children, { ...child, outcome: null }],
  }));
}

function childSettled(state: LaneState, event: EventOf<"child.settled">): LaneState {
  const reference = { sessionId: event.childSessionId, promptId: event.childPromptId };
  const background = state.background.filter((child) => !sameChild(child, reference));
  if (background.length < state.background.length) {
    return { ...state, background, usage: addUsage(state.usage, event.usage) };
  }
  return onRun(state, (run) => ({
    ...run,
    usage: addUsage(run.usage, event.usage),
    children: run.children.map((child): Child =>
      sameChild(child, reference) ? { ...child, outcome: event.outcome } : child,
    ),
  }));
}

function released(state: LaneState, holdId: string): LaneState {
  const hold = state.holds.find((candidate) => candidate.holdId === holdId);
  const next = { ...state, holds: state.holds.filter((candidate) => candidate !== hold) };
  return hold?.kind === "recovery" ? onRun(next, (run) => ({ ...run, released: true })) : next;
}

function workStarted(state: LaneState, event: EventOf<"work.started">): LaneState {
  const item = state.queue.find((other) => other.kind === "work" && other.workId === event.workId);
  if (item?.kind !== "work") return state;
  return {
    ...state,
    fence: event.fence,
    queue: state.queue.filter((other) => other !== item),
    active: {
      ...item,
      owner: event.owner,
      stopGrace: event.stopGrace,
      condition: { status: "running" },
    },
  };
}
