import { isOf } from "./event-table.ts";
import type { LaneEvent, Receipt } from "./event.ts";
import { evolve } from "./evolve.ts";
import { isWork } from "./evolve/part.ts";
import { checkState } from "./invariants.ts";
import { activeRun, hasOpenChild, itemId } from "./state.ts";
import type { LaneState, Run, UnsettledPrompt } from "./state.ts";

/** Replays a session's log event by event and collects every broken guarantee (docs/PROMISES.md). */
export interface History {
  add(event: LaneEvent): void;
  /** Returns the state after all added events; null before the first event. */
  state(): LaneState | null;
  /** Lists the broken guarantees so far. */
  problems(): string[];
}

export function openHistory(): History {
  const replay: Replay = {
    state: null,
    known: new Set(),
    settled: new Set(),
    works: new Set(),
    problems: [],
  };
  return {
    add: (event) => {
      const before = replay.problems.length;
      checkEvent(replay, event);
      const found = replay.problems.splice(before);
      const where = `seq ${event.seq} ${event.type}`;
      replay.problems.push(...found.map((problem) => `${problem} (${where})`));
    },
    state: () => replay.state,
    problems: () => [
      ...replay.problems,
      ...(replay.state === null ? [] : checkState(replay.state)),
    ],
  };
}

interface Replay {
  state: LaneState | null;
  /** Every prompt id that was accepted, or cancelled before it arrived. */
  readonly known: Set<string>;
  readonly settled: Set<string>;
  /** The ids of all exclusive operations that were queued. */
  readonly works: Set<string>;
  readonly problems: string[];
}

function checkEvent(replay: Replay, event: LaneEvent): void {
  const { state, problems } = replay;
  if (event.seq !== (state?.seq ?? 0) + 1) problems.push("T2: the log has a gap");
  if ((event.type === "session.created") !== (state === null)) {
    problems.push("T2: a log must begin with session.created, exactly once");
  }
  if (state !== null) {
    if (event.sessionId !== state.sessionId) problems.push("T2: an event of another session");
    problems.push(...checkPrompt(replay, event, state));
    problems.push(...checkLane(event, state));
    problems.push(...checkWork(replay, event, state));
    problems.push(...checkLabels(event, state));
    const run = activeRun(state);
    problems.push(...checkWriter(event, state, run));
    problems.push(...checkStopping(event, run));
  }
  replay.state = evolve(state, event);
}

function checkPrompt(replay: Replay, event: LaneEvent, state: LaneState): string[] {
  const { known, settled } = replay;
  if (event.type === "prompt.accepted" || event.type === "prompt.tombstoned") {
    const again = known.has(event.promptId);
    known.add(event.promptId);
    if (event.type === "prompt.tombstoned") settled.add(event.promptId);
    else if (state.status === "deleted") return ["M8: a deleted session accepts a prompt"];
    return again ? ["P3: a prompt was accepted twice"] : [];
  }
  if (event.type === "prompt.settled") {
    const again = settled.has(event.promptId);
    settled.add(event.promptId);
    if (again) return ["P2: a prompt has two outcomes"];
    return known.has(event.promptId) ? [] : ["P2: an outcome for a prompt that never arrived"];
  }
  if (event.type === "prompt.takenIn") return checkTakenIn(event, state);
  if (event.type === "prompt.edited" || event.type === "prompt.moved") {
    const waits = waitingPrompt(state, event.promptId) !== undefined;
    return waits ? [] : ["C6: a prompt is changed although it does not wait"];
  }
  return event.type === "cancel.committed" ? checkReceipt(event.receipt, state) : [];
}

function checkTakenIn(
  event: Extract<LaneEvent, { type: "prompt.takenIn" }>,
  state: LaneState,
): string[] {
  const item = waitingPrompt(state, event.promptId);
  if (item === undefined) return ["L6: a prompt joins a run although it does not wait"];
  if (item.binding !== null) {
    return item.binding.runId === event.runId ? [] : ["L6: a steered prompt joins another run"];
  }
  // An exclusive operation adds a message about its action to the conversation before it acts.
  if (state.active?.kind === "work" && !item.reply) return [];
  const ahead = state.queue.slice(0, state.queue.indexOf(item));
  const blocked = ahead.some((other) => other.kind === "work" || other.binding === null);
  return item.reply || blocked ? ["P7: a prompt joins a run out of order"] : [];
}

/** Checks that a session cancel covers exactly the unsettled prompts that were accepted up to its event number (C1). */
function checkReceipt(receipt: Receipt, state: LaneState): string[] {
  if (receipt.mark === null) return [];
  const { mark } = receipt;
  const run = activeRun(state);
  const first = run?.prompts[0];
  const open = run !== null && run.condition.status !== "closing";
  const coversRun = open && first !== undefined && first.acceptSeq <= mark;
  const expected = [...(coversRun ? run.prompts : []), ...state.queue]
    .filter((item) => item.kind === "prompt" && item.acceptSeq <= mark)
    .map(itemId);
  const covered = receipt.covered.map((prompt) => prompt.promptId);
  const same = covered.length === expected.length && covered.every((id) => expected.includes(id));
  const work = [state.active, ...state.queue]
    .filter((item) => item?.kind === "work")
    .filter((item) => item.acceptSeq <= mark)
    .map((item) => item.workId);
  const sameWork = work.join() === receipt.work.join();
  return [
    ...(same ? [] : ["C1: a cancel does not cover exactly the prompts accepted before it"]),
    ...(sameWork ? [] : ["M8: a cancel does not end exactly the work queued before it"]),
  ];
}

function checkLane(event: LaneEvent, state: LaneState): string[] {
  const run = activeRun(state);
  if (event.type === "run.started") {
    const first = state.queue[0];
    const problems: string[] = [];
    if (state.active !== null) problems.push("L1: a second run starts");
    if (state.holds.length > 0) problems.push("L3: a run starts on a held lane");
    if (first?.kind !== "prompt" || first.promptId !== event.promptId) {
      problems.push("L2: a run starts with a prompt that is not first");
    }
    return problems;
  }
  if (event.type === "tool.started") {
    const tool = run?.tools.find((candidate) => candidate.callId === event.callId);
    if (tool === undefined) return ["R2: a call starts that is in no committed answer"];
    return tool.started || tool.gate !== "open"
      ? ["R2: a call starts twice or without permission"]
      : [];
  }
  if (event.type === "tool.ended") {
    const open = run?.tools.some((tool) => tool.callId === event.callId) === true;
    return open ? [] : ["T1: a call ends although it is not open"];
  }
  if (event.type === "ask.closed") {
    const open = run?.asks.some((ask) => ask.askId === event.askId) === true;
    return open ? [] : ["R4: an ask is closed although it is not open"];
  }
  if (event.type === "run.ended") return run === null ? ["L1: no run to end"] : checkEnd(run);
  return [];
}

/** Checks that an exclusive operation is executed once per id, in queue order, with nothing else active (M8). */
function checkWork(replay: Replay, event: LaneEvent, state: LaneState): string[] {
  if (event.type === "work.queued") {
    const again = replay.works.has(event.workId);
    replay.works.add(event.workId);
    if (state.status === "deleted") return ["M8: a deleted session accepts work"];
    return again ? ["P3: work was queued twice"] : [];
  }
  const { active, queue } = state;
  if (event.type === "work.started") {
    const problems: string[] = [];
    if (active !== null) problems.push("L1: exclusive work starts on a busy lane");
    if (!isWork(queue[0], event.workId)) problems.push("L2: work starts although it is not first");
    if (event.fence !== state.fence + 1) problems.push("L5: work starts under a used fence");
    return problems;
  }
  if (event.type === "work.ended") {
    const open = [active, ...queue].some((item) => isWork(item, event.workId));
    return open ? [] : ["M8: work ends although it was never queued or has already ended"];
  }
  return [];
}

/**
 * Checks that a program does not replace a title that a person set, and that nothing renames or archives a deleted
 * session.
 */
function checkLabels(event: LaneEvent, state: LaneState): string[] {
  if (!isOf(event, labelEvents)) return [];
  if (state.status === "deleted") return ["M8: a deleted session is renamed or archived"];
  const isByRun = event.actor.kind === "run";
  if (event.type === "session.modeSet" && isByRun) return ["a run sets the mode of a session"];
  if (event.type === "session.agentSet" && isByRun) return ["a run sets the agent of a session"];
  const taken = event.type === "session.renamed" && event.auto && state.title !== null;
  return taken ? ["a program takes the place of a title"] : [];
}

const labelEvents = [
  "session.renamed",
  "session.archived",
  "session.modeSet",
  "session.agentSet",
] as const;

function checkEnd(run: Run): string[] {
  const problems: string[] = [];
  if (run.prompts.length > 0)
    problems.push("P2: a run ends and leaves a prompt without an outcome");
  if (run.tools.length > 0) problems.push("T1: a run ends with an open call");
  if (run.asks.length > 0) problems.push("R4: a run ends with an open ask");
  if (hasOpenChild(run)) problems.push("C7: a run ends before its child");
  return problems;
}

/** Checks that an event of a run has the current fencing token and attempt: no outdated process may write (L5). */
function checkWriter(event: LaneEvent, state: LaneState, run: Run | null): string[] {
  if (!("attempt" in event)) return [];
  if (event.type === "run.started") {
    const fresh = event.fence === state.fence + 1 && event.attempt === 1;
    return fresh ? [] : ["L5: a run starts under a used fence"];
  }
  if (run === null || run.runId !== event.runId) return ["L5: a write to a run that is not active"];
  if (event.type === "run.resumed" || event.type === "run.suspended") {
    const raised = event.fence === state.fence + 1 && event.attempt === run.attempt + 1;
    return raised ? [] : ["L5: a takeover does not raise fence and attempt"];
  }
  if ("fence" in event && event.fence !== state.fence) return ["L5: a write under an old fence"];
  // A forced stop, or a process that takes over a run, may end the run. The last events then have `run.attempt + 1`.
  const closing = event.type === "run.ended" || event.type === "run.closing";
  const raises = closing || (event.type === "tool.ended" && event.status !== "completed");
  const current = event.attempt === run.attempt || (raises && event.attempt === run.attempt + 1);
  return current ? [] : ["L5: a write under an old attempt"];
}

/**
 * Checks a stopping run (C5): no prompt joins it, it starts no step, call, ask or child, and it ends with the outcome
 * that was set when the stop began.
 */
function checkStopping(event: LaneEvent, run: Run | null): string[] {
  if (run === null || run.condition.status === "running") return [];
  if (event.type === "run.ended") {
    const expected = run.condition.outcome.status;
    const given = event.outcome.status;
    // A delete cancels at once, even if the run was stopping with another outcome.
    const outranked = run.condition.status === "stopping" && given === "cancelled";
    return given === expected || outranked ? [] : ["C5: a stopping run ends with another outcome"];
  }
  const entered = event.type === "prompt.takenIn" && event.runId !== null;
  return entered || goingOn.has(event.type) ? ["C5: a stopping run continues"] : [];
}

const goingOn: ReadonlySet<LaneEvent["type"]> = new Set([
  "step.opened",
  "tool.started",
  "ask.opened",
  "child.linked",
  "run.resumed",
  "run.suspended",
  "run.handedOver",
]);

function waitingPrompt(state: LaneState, promptId: string): UnsettledPrompt | undefined {
  return state.queue
    .filter((item) => item.kind === "prompt")
    .find((item) => item.promptId === promptId);
}
