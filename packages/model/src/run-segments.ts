import type { CallStatus, CallView, Conversation, RunView, StepEntry } from "./conversation.ts";
import { packLanes } from "./pack-lanes.ts";

/**
 * Activity of a run: model answer, tool, ask that waits for a person, time without a process after a crash, or
 * stopping.
 */
export type SegmentKind = "model" | "tool" | "asking" | "cutOff" | "stopping";

export interface Segment {
  readonly kind: SegmentKind;
  readonly from: number;
  readonly to: number | null;
  readonly step: number | null;
  /** Name of the tool, or the question of the ask. */
  readonly name: string | null;
  readonly status: CallStatus | null;
  /**
   * Index of the row in which the call is drawn, and the number of rows: concurrent calls are drawn one above the
   * other.
   */
  readonly lane: number;
  readonly lanes: number;
  readonly childSessionId: string | null;
}

/** Returns the segments of each run in time order, by run id. */
export function runSegments(conversation: Conversation): ReadonlyMap<string, readonly Segment[]> {
  const byRun = new Map<string, Segment[]>();
  const of = (runId: string): Segment[] => {
    const known = byRun.get(runId) ?? [];
    byRun.set(runId, known);
    return known;
  };
  for (const entry of conversation.entries) {
    if (entry.kind === "step") {
      const run = conversation.runs.get(entry.runId);
      of(entry.runId).push(...stepSegments(entry, run));
    }
    if (entry.kind === "notice" && entry.notice.type === "resumed") {
      cutOff(of(entry.notice.runId), entry.at);
    }
  }
  for (const ask of conversation.asks.values()) {
    const end = ask.closed?.at ?? conversation.runs.get(ask.runId)?.endedAt ?? null;
    of(ask.runId).push({
      ...plain,
      kind: "asking",
      from: ask.openedAt,
      to: end,
      name: ask.question,
    });
  }
  for (const run of conversation.runs.values()) addStopping(conversation, run, of(run.runId));
  for (const segments of byRun.values()) segments.sort((one, other) => one.from - other.from);
  return byRun;
}

const plain = {
  step: null,
  name: null,
  status: null,
  lane: 0,
  lanes: 1,
  childSessionId: null,
} as const;

function stepSegments(step: StepEntry, run: RunView | undefined): readonly Segment[] {
  const end = run?.endedAt ?? null;
  const answer: Segment = {
    ...plain,
    kind: "model",
    from: step.openedAt,
    to: step.answeredAt ?? end,
    step: step.step,
  };
  const calls = step.calls.filter((call) => beginOf(call, step) !== null);
  const spans = calls.map((call) => ({
    from: beginOf(call, step) ?? 0,
    to: call.endedAt ?? end,
  }));
  const { places, lanes } = packLanes(spans);
  return [
    answer,
    ...calls.map((call, index) =>
      callSegment(call, { step, end, lane: places[index] ?? 0, lanes }),
    ),
  ];
}

function callSegment(
  call: CallView,
  where: { step: StepEntry; end: number | null; lane: number; lanes: number },
): Segment {
  return {
    kind: "tool",
    from: beginOf(call, where.step) ?? 0,
    to: call.endedAt ?? where.end,
    step: where.step.step,
    name: call.name,
    status: call.status,
    lane: where.lane,
    lanes: where.lanes,
    childSessionId: call.child?.sessionId ?? null,
  };
}

/**
 * Returns when a call began. A call that starts a child session has no start event: it began with the model's answer
 * that requested the call.
 */
function beginOf(call: CallView, step: StepEntry): number | null {
  return call.startedAt ?? (call.child === null ? null : step.answeredAt);
}

/** Appends a segment for the time from the last activity before a crash until the run was resumed. */
function cutOff(segments: Segment[], resumedAt: number): void {
  const last = segments.findLast((segment) => segment.kind !== "cutOff");
  // The last segment already shows that its call was interrupted, so the chart needs no extra segment for the crash.
  if (last === undefined || last.status === "inDoubt" || last.status === "interrupted") return;
  if (last.to === null || last.to > resumedAt) {
    segments.splice(segments.indexOf(last), 1, { ...last, from: resumedAt });
    segments.push({ ...plain, kind: "cutOff", from: last.from, to: resumedAt });
  } else if (last.to < resumedAt) {
    segments.push({ ...plain, kind: "cutOff", from: last.to, to: resumedAt });
  }
}

/**
 * Appends a segment for the time that a run needed to stop after a cancel. The segment begins
 * when the last prompt of the run got its outcome.
 */
function addStopping(conversation: Conversation, run: RunView, segments: Segment[]): void {
  if (!run.isStopping) return;
  const settled = run.promptIds
    .map((promptId) => conversation.prompts.get(promptId)?.settledAt ?? null)
    .filter((at) => at !== null);
  const from = Math.max(...settled);
  if (!Number.isFinite(from) || (run.endedAt !== null && run.endedAt <= from)) return;
  segments.push({ ...plain, kind: "stopping", from, to: run.endedAt });
}
