import type { AnsweredCall, EventOf, ToolStatus } from "../../kernel/event.ts";
import { addUsage, noUsage } from "../../kernel/state.ts";
import type { Outcome, Usage } from "../../kernel/state.ts";
import type { StoreReader } from "../../store/store.ts";
import { logOf } from "../../log/session-log.ts";

// Builds views of a run from the session's log, from the start of the run to its end or to the end of the log.

export interface RunViews {
  /** Lists a session's runs in order of start; `after` is the seq of the last run on the previous page. */
  runs(query: { sessionId: string; after: number | null; limit: number }): Promise<RunView[]>;
  run(target: RunTarget): Promise<RunView | null>;
  /** Lists the steps of a run. Returns null for an unknown run. */
  steps(target: RunTarget): Promise<StepView[] | null>;
}

export interface RunTarget {
  readonly sessionId: string;
  readonly runId: string;
}

export interface RunView {
  readonly sessionId: string;
  readonly runId: string;
  /** `seq` of the run's start event. `runs` uses it as page key. */
  readonly seq: number;
  /** `suspended`: no process executes the run; it waits for a person or a takeover. */
  readonly status: "running" | "suspended" | "stopping" | "closing" | "ended";
  /** The prompt that started the run, then the prompts that joined it. */
  readonly promptIds: readonly string[];
  readonly attempt: number;
  /** The process that executes the run. */
  readonly owner: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly steps: number;
  readonly usage: Usage;
  readonly outcome: Outcome | null;
}

export interface StepView {
  readonly step: number;
  readonly attempt: number;
  readonly openedAt: number;
  /** Null until the model has answered. */
  readonly answeredAt: number | null;
  readonly interrupted: boolean;
  readonly usage: Usage;
  readonly calls: readonly CallView[];
}

export interface CallView extends AnsweredCall {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly status: ToolStatus | null;
}

export function runViews(store: StoreReader): RunViews {
  return {
    runs: async ({ sessionId, after, limit }) => {
      const types = ["run.started"] as const;
      const starts = await store.events(sessionId, { after, limit, types });
      return Promise.all(
        starts.flatMap((start) => (start.type === "run.started" ? [viewRun(store, start)] : [])),
      );
    },
    run: async (target) => {
      const start = await findRun(store, target);
      return start === null ? null : viewRun(store, start);
    },
    steps: async (target) => {
      const start = await findRun(store, target);
      return start === null ? null : viewSteps(store, start);
    },
  };
}

/** Returns the start event of a run; null if the session has no such run. */
export async function findRun(
  store: StoreReader,
  target: RunTarget,
): Promise<EventOf<"run.started"> | null> {
  const { sessionId, runId } = target;
  const part = { after: null, limit: 1, types: ["run.started"], subject: runId } as const;
  const [start] = await store.events(sessionId, part);
  return start?.type === "run.started" ? start : null;
}

const runTypes = [
  "run.resumed",
  "run.suspended",
  "run.handedOver",
  "run.stopping",
  "run.closing",
  "run.ended",
  "prompt.takenIn",
  "prompt.returned",
  "step.opened",
  "step.answered",
] as const;

async function viewRun(store: StoreReader, start: EventOf<"run.started">): Promise<RunView> {
  const { sessionId, runId, seq } = start;
  let view: RunView = {
    sessionId,
    runId,
    seq,
    status: "running",
    promptIds: [start.promptId],
    attempt: start.attempt,
    owner: start.owner,
    startedAt: start.at,
    endedAt: null,
    steps: 0,
    usage: noUsage,
    outcome: null,
  };
  for await (const event of logOf(store, sessionId, { after: seq, types: runTypes })) {
    if (event.runId === runId) view = { ...view, ...changeOf(view, event) };
    if (view.status === "ended") break;
  }
  return view;
}

function changeOf(view: RunView, event: EventOf<(typeof runTypes)[number]>): Partial<RunView> {
  switch (event.type) {
    case "run.resumed":
      return { status: "running", owner: event.owner, attempt: event.attempt };
    case "run.suspended":
      return { status: "suspended", owner: null, attempt: event.attempt };
    case "run.handedOver":
      return { status: "suspended", owner: null };
    case "run.stopping":
      return { status: "stopping" };
    case "run.closing":
      return { status: "closing", owner: null, attempt: event.attempt };
    case "run.ended": {
      const { attempt, outcome, usage, at } = event;
      return { status: "ended", owner: null, attempt, outcome, usage, endedAt: at };
    }
    case "prompt.takenIn":
      return { promptIds: [...view.promptIds, event.promptId] };
    case "prompt.returned":
      return { promptIds: view.promptIds.filter((promptId) => promptId !== event.promptId) };
    case "step.opened":
      return { steps: Math.max(view.steps, event.step) };
    case "step.answered":
      return { usage: addUsage(view.usage, event.usage) };
  }
}

const stepTypes = [
  "step.opened",
  "step.answered",
  "tool.started",
  "tool.ended",
  "run.ended",
] as const;

async function viewSteps(store: StoreReader, start: EventOf<"run.started">): Promise<StepView[]> {
  const { sessionId, runId, seq } = start;
  const steps = new Map<number, StepView>();
  const calls = new Map<string, CallView>();
  const callsOf = new Map<number, readonly string[]>();
  for await (const event of logOf(store, sessionId, { after: seq, types: stepTypes })) {
    if (event.runId !== runId) continue;
    if (event.type === "run.ended") break;
    if (event.type === "step.opened") steps.set(event.step, openedStep(event));
    if (event.type === "step.answered") {
      const { step, attempt, interrupted, usage, at } = event;
      const opened = steps.get(step) ?? openedStep(event);
      steps.set(step, { ...opened, attempt, interrupted, usage, answeredAt: at });
      for (const call of event.calls) {
        calls.set(call.callId, { ...call, startedAt: null, endedAt: null, status: null });
      }
      callsOf.set(
        step,
        event.calls.map(({ callId }) => callId),
      );
    }
    const call = "callId" in event ? calls.get(event.callId) : undefined;
    if (call === undefined) continue;
    if (event.type === "tool.started") calls.set(call.callId, { ...call, startedAt: event.at });
    if (event.type === "tool.ended") {
      calls.set(call.callId, { ...call, endedAt: event.at, status: event.status });
    }
  }
  return [...steps.values()].map((step) => ({
    ...step,
    calls: (callsOf.get(step.step) ?? []).flatMap((callId) => calls.get(callId) ?? []),
  }));
}

function openedStep(event: { step: number; attempt: number; at: number }): StepView {
  const { step, attempt, at } = event;
  const empty = { answeredAt: null, interrupted: false, usage: noUsage, calls: [] };
  return { step, attempt, openedAt: at, ...empty };
}
