import type { EventOf } from "../event.ts";
import { activeRun, addUsage, noUsage, resumesRun, triesResumed } from "../state.ts";
import type { Branch, Child, LaneState, Run, ToolCall } from "../state.ts";
import { childOfRun, sameChild } from "../tree.ts";
import { isPrompt, onRun, onTool } from "./part.ts";

export function started(state: LaneState, event: EventOf<"run.started">): LaneState {
  const { runId, promptId, attempt, owner, generation, limits, deadline } = event;
  const prompts = state.queue.filter((item) => isPrompt(item, promptId));
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
      prompts,
      stage: "boundary",
      step: 0,
      tools: [],
      asks: [],
      waitsFor: null,
      children: [],
      tries: { total: 1, sinceStep: 1 },
      usage: noUsage,
      limits,
      directories: prompts[0]?.directories ?? null,
      agent: state.agent,
      deadline,
      cutOffAt: null,
      released: false,
    },
  };
}

export function resumed(run: Run, event: EventOf<"run.resumed">): Run {
  return {
    ...run,
    owner: event.owner,
    attempt: event.attempt,
    generation: event.generation,
    // Logs of release 0.1.0 lack the count.
    tries: event.tries ?? triesResumed(run),
    // The remaining calls may start again: calls that must not be repeated have already ended as `inDoubt`.
    tools: run.tools.map((tool) => ({ ...tool, started: false })),
    cutOffAt: null,
    released: false,
  };
}

export function answered(run: Run, event: EventOf<"step.answered">): Run {
  return {
    ...run,
    stage: "tools",
    // Keep calls that are still open: a hosted agent reported this step from inside one of them.
    tools: [
      ...run.tools,
      ...event.calls.map(({ callId, repeatable, seen }): ToolCall => ({
        callId,
        repeatable,
        started: false,
        gate: "open",
        ...(seen === undefined ? {} : { seen }),
      })),
    ],
    tries: { ...run.tries, sinceStep: 0 },
    usage: addUsage(run.usage, event.usage),
  };
}

export function askOpened(state: LaneState, event: EventOf<"ask.opened">): LaneState {
  const { askId, callId, expiresAt, within, budget } = event;
  const ask = { askId, callId, expiresAt, ...(within === undefined ? {} : { within }) };
  const entry = budget === undefined ? ask : { ...ask, accountId: budget.accountId };
  const next = onRun(state, (run) => ({ ...run, asks: [...run.asks, entry] }));
  return callId === null ? next : onTool(next, callId, (tool) => ({ ...tool, gate: "asking" }));
}

export function askClosed(state: LaneState, event: EventOf<"ask.closed">): LaneState {
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

export function linked(state: LaneState, event: EventOf<"child.linked">): LaneState {
  const child = { sessionId: event.childSessionId, promptId: event.childPromptId };
  if (event.background) {
    const { runId, acceptSeq = 0, origin = null } = event;
    const sent = { ...child, runId, acceptSeq, origin };
    return { ...state, background: [...state.background, sent] };
  }
  return onRun(state, (run) => ({
    ...run,
    children: [...run.children, { ...child, outcome: null }],
  }));
}

export function childSettled(state: LaneState, event: EventOf<"child.settled">): LaneState {
  const reference = { sessionId: event.childSessionId, promptId: event.childPromptId };
  const sent = state.background.find((child) => sameChild(child, reference));
  const branches = (child: Branch | null): readonly Branch[] =>
    child === null || event.branch === undefined ? state.branches : [...state.branches, child];
  if (sent !== undefined) {
    const background = state.background.filter((child) => child !== sent);
    const usage = addUsage(state.usage, event.usage);
    return { ...state, background, branches: branches(sent), usage };
  }
  const active = activeRun(state);
  const kept = branches(active === null ? null : childOfRun(active, reference));
  return onRun({ ...state, branches: kept }, (run) => ({
    ...run,
    usage: addUsage(run.usage, event.usage),
    children: run.children.map((child): Child =>
      sameChild(child, reference) ? { ...child, outcome: event.outcome } : child,
    ),
  }));
}

export function branchEnded(state: LaneState, event: EventOf<"branch.ended">): LaneState {
  const reference = { sessionId: event.childSessionId, promptId: event.childPromptId };
  return { ...state, branches: state.branches.filter((child) => !sameChild(child, reference)) };
}

export function released(state: LaneState, event: EventOf<"hold.released">): LaneState {
  const hold = state.holds.find((candidate) => candidate.holdId === event.holdId);
  const next = { ...state, holds: state.holds.filter((candidate) => candidate !== hold) };
  // Logs of release 0.1.0 lack the field.
  const resumes = event.resumesRun ?? resumesRun(activeRun(state), hold);
  return resumes ? onRun(next, (run) => ({ ...run, released: true })) : next;
}

export function workStarted(state: LaneState, event: EventOf<"work.started">): LaneState {
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
