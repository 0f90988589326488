import type { Command } from "../../../src/kernel/command.ts";
import type { Directories } from "../../../src/kernel/directories.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { activeRun, hasOpenChild, itemId } from "../../../src/kernel/state.ts";
import type { LaneState, QueueItem, Run } from "../../../src/kernel/state.ts";
import type { WorldLane } from "./world.ts";

export type Fail = (problem: string) => void;

/** Checks one event against the state before it, by the promises and not by the code of decide. */
export function checkEvent(
  met: { state: LaneState | null; event: LaneEvent; command: Command; lane: WorldLane },
  fail: Fail,
): void {
  const { state, event, command, lane } = met;
  if (event.seq !== (state?.seq ?? 0) + 1) fail("T2: seq has a gap");
  if (event.type === "session.created") {
    if (state !== null) fail("P3: a session is created twice");
    return;
  }
  if (state === null) {
    fail(`T2: ${event.type} before the session`);
    return;
  }
  const must = (holds: boolean, problem: string): void => {
    if (!holds) fail(problem);
  };
  checkPromptEvent({ ...met, state }, must);
  const run = activeRun(state);
  if ("attempt" in event && event.type !== "run.started") {
    must(run?.runId === event.runId, `L5: ${event.type} for a run that is not active`);
  }
  if (run !== null) checkRunEvent({ run, event, state }, must);
  switch (event.type) {
    case "run.started":
      must(state.active === null, "L1: a second run starts");
      must(state.holds.length === 0, "L3: a run starts on a held lane");
      must(state.status === "open", "M8: a deleted session starts a run");
      must(
        state.queue[0]?.kind === "prompt" && state.queue[0].promptId === event.promptId,
        "L2: a run starts with a prompt that is not first",
      );
      must(state.queue[0]?.kind === "prompt" && state.queue[0].reply, "P7: a message starts a run");
      must(!isExpired(state.queue[0], event.at), "P6: a run starts with an expired prompt");
      must(event.fence === state.fence + 1, "L5: a run starts under a used fence");
      break;
    case "work.started":
      must(state.active === null, "M8: work starts on a busy lane");
      must(
        state.queue[0] !== undefined && itemId(state.queue[0]) === event.workId,
        "M8: work starts before its place",
      );
      break;
    case "work.queued":
      must(state.status === "open", "M8: a deleted session accepts work");
      must(!lane.works.has(event.workId), "P3: work was queued twice under one id");
      must(event.body === bodyOf(command), "P3: work is given something else");
      break;
    case "work.ended":
      must(lane.works.get(event.workId)?.ended === null, "M8: work ends that is over");
      must(event.body === bodyOf(command), "M8: a result that its owner has not given");
      break;
    case "session.renamed":
      must(state.status === "open", "M8: a deleted session is renamed");
      must(state.title === null || !event.auto, "a program takes the place of a title");
      break;
    case "session.archived":
      must(state.status === "open", "M8: a deleted session is archived");
      must(event.archived !== state.archived, "a session is archived twice");
      break;
    case "session.modeSet":
      must(state.status === "open", "M8: the mode of a deleted session is set");
      must(event.mode !== state.mode, "a mode is set twice");
      break;
    case "session.agentSet":
      must(state.status === "open", "M8: the agent of a deleted session is set");
      must(event.agent !== state.agent, "an agent is set twice");
      break;
    case "session.deleted":
      must(state.status === "open", "M8: a session is deleted twice");
      break;
    case "hold.released":
      must(
        state.holds.some((hold) => hold.holdId === event.holdId),
        "L4: a hold is lifted that does not stand",
      );
      break;
    case "ask.opened":
      must(!lane.asks.has(event.askId), "R4: an ask is opened twice");
      break;
    case "prompt.accepted":
    case "prompt.edited":
    case "prompt.moved":
    case "prompt.takenIn":
    case "prompt.returned":
    case "prompt.settled":
    case "prompt.tombstoned":
    case "prompt.unwanted":
    case "branch.ended":
    case "run.resumed":
    case "run.suspended":
    case "run.handedOver":
    case "run.stopping":
    case "run.closing":
    case "run.ended":
    case "run.waiting":
    case "run.woken":
    case "step.opened":
    case "step.answered":
    case "tool.started":
    case "tool.ended":
    case "ask.closed":
    case "child.linked":
    case "child.settled":
    case "cancel.committed":
    case "hold.placed":
    case "work.stopping":
      break;
  }
}

/** The input or the result of an exclusive operation in a command. */
function bodyOf(command: Command): string | null {
  return command.type === "work.queue" || command.type === "work.end" ? command.body : null;
}

type Must = (holds: boolean, problem: string) => void;

function checkPromptEvent(
  met: { state: LaneState; event: LaneEvent; command: Command; lane: WorldLane },
  must: Must,
): void {
  const { state, event, command, lane } = met;
  const run = activeRun(state);
  const waiting = (promptId: string) =>
    state.queue.find((item) => item.kind === "prompt" && item.promptId === promptId);
  if (event.type === "prompt.accepted") {
    must(!lane.prompts.has(event.promptId), "P3: an id is accepted twice");
    must(state.status === "open", "M8: a deleted session accepts a prompt");
    const busy = state.active !== null || state.queue.length > 0 || state.holds.length > 0;
    must(event.delivery !== "ifIdle" || !busy, "L6: ifIdle is accepted on a busy lane");
    const isAlike = isSame(run?.directories ?? null, event.directories ?? null);
    const boundTo = event.delivery === "steer" && isAlike ? (run?.runId ?? null) : null;
    must((event.binding?.runId ?? null) === boundTo, "L6: a steer is bound to another run");
    if (command.type === "prompt.accept" && command.expectedRunId !== null) {
      must(command.expectedRunId === run?.runId, "L6: a steer for another run is accepted");
      must(event.binding?.expected === true, "L6: a steer forgets the run that it named");
    }
  }
  if (event.type === "prompt.tombstoned") {
    must(!lane.prompts.has(event.promptId), "C7: a tombstone for a prompt that has arrived");
  }
  if (event.type === "prompt.edited" || event.type === "prompt.moved") {
    must(
      waiting(event.promptId) !== undefined,
      "C6: a prompt is changed although it does not wait",
    );
  }
  checkLimits(met, must);
  if (event.type === "prompt.settled") {
    const inRun = run?.prompts.some(({ promptId }) => promptId === event.promptId) === true;
    const open = inRun || waiting(event.promptId) !== undefined || isMessage(lane, event.promptId);
    must(open, "P2: an outcome for a prompt that is not open");
    must(lane.prompts.get(event.promptId)?.status !== "settled", "P2: a second outcome");
    if (inRun) must(event.outcome.runId === run?.runId, "P2: the outcome names another run");
  }
  if (event.type === "prompt.takenIn") {
    const item = waiting(event.promptId);
    must(item !== undefined, "L6: a prompt joins a run although it does not wait");
    if (item?.kind !== "prompt") return;
    must(!isExpired(item, event.at), "P6: a prompt enters after its time");
    if (event.runId === null) {
      must(!item.reply && state.active === null, "P7: a prompt enters where no run is");
      must(state.queue[0] === item, "P7: a message enters out of order");
      return;
    }
    must(isBoundary(command), "L6: not at a boundary");
    const within = command.type === "run.boundary" ? command.within : undefined;
    if (command.type === "run.boundary" && within !== undefined) {
      must(command.takes?.includes(event.promptId) === true, "H6: a steer enters unasked");
      must(isActive(run, within), "H6: a steer enters a call that is not active");
    } else must(run?.tools.length === 0, "T1: a prompt enters between a call and its result");
    if (item.binding === null) {
      const ahead = state.queue.slice(0, state.queue.indexOf(item));
      must(!item.reply && ahead.length === 0, "L6: a prompt enters that was not steered");
    } else {
      must(item.binding.runId === event.runId, "L6: a steered prompt joins another run");
    }
  }
}

/** An answer may come after the end of the call that its step was opened within. */
function hasHost(run: Run): boolean {
  return run.tools.some(({ seen, started }) => seen === true || started);
}

function isActive(run: Run | null, callId: string): boolean {
  return run?.tools.some((tool) => tool.callId === callId && tool.started) === true;
}

function isExpired(item: QueueItem | undefined, at: number): boolean {
  return item?.kind === "prompt" && item.expiresAt !== null && item.expiresAt <= at;
}

/** True for commands that may open a step. */
function isBoundary(command: Command): boolean {
  const { type } = command;
  if (type === "run.start") return command.opensStep;
  if (type === "step.answer") return command.completes !== null;
  return type === "run.boundary" || type === "run.end";
}

/** True for a message without a reply, which is settled in the commit that adds it. */
function isMessage(lane: WorldLane, promptId: string): boolean {
  return lane.prompts.get(promptId)?.reply !== true;
}

function checkRunEvent(met: { run: Run; event: LaneEvent; state: LaneState }, must: Must): void {
  const { run, event, state } = met;
  const stopped = run.condition.status !== "running";
  const goesOn =
    event.type === "step.opened" ||
    event.type === "tool.started" ||
    event.type === "ask.opened" ||
    event.type === "child.linked" ||
    event.type === "run.resumed" ||
    event.type === "run.suspended" ||
    event.type === "run.handedOver" ||
    (event.type === "prompt.takenIn" && event.runId !== null);
  must(!(stopped && goesOn), `C5: ${event.type} after the stop`);
  if (event.type === "tool.started" || event.type === "tool.ended") {
    const tool = run.tools.find(({ callId }) => callId === event.callId);
    must(tool !== undefined, `T1: ${event.type} of a call that is not open`);
    if (event.type === "tool.started") {
      must(tool?.started === false, "R2: a call starts twice");
      must(tool?.gate === "open", "R4: a call starts that was not allowed");
    } else if (event.attempt > run.attempt) {
      const isSeen = tool?.seen === true && tool.gate === "open";
      const inDoubt = (tool?.started === true && !tool.repeatable) || isSeen;
      must((event.status === "inDoubt") === inDoubt, "R2: a call is in doubt without need, or not");
    } else if (event.status === "completed") {
      must(tool?.gate === "open", "R4: a call has a result that was not allowed");
      const begun = tool?.repeatable === true || tool?.started === true || tool?.seen === true;
      must(begun, "R2: a result without a start");
    }
  }
  if (event.type === "step.opened" || event.type === "step.answered") {
    const within = event.type === "step.opened" ? event.within : undefined;
    const isHosted = within === undefined ? hasHost(run) : isActive(run, within);
    must(run.tools.length === 0 || isHosted, `T1: ${event.type} with open calls`);
    must(run.step <= run.limits.maxSteps, "L6: a step past the limit");
  }
  if (event.type === "step.answered" && stopped) {
    must(event.interrupted, "C5: an answer after the stop is not marked interrupted");
  }
  if (event.type === "run.resumed") {
    const { total, sinceStep } = run.tries;
    must(total < 10 && sinceStep < 3, "R3: begun too often");
    must(event.fence === state.fence + 1, "L5: a takeover under a used fence");
    must(event.attempt === run.attempt + 1, "L5: a takeover under a used attempt");
  }
  if (event.type === "ask.closed") {
    must(
      run.asks.some(({ askId }) => askId === event.askId),
      "R4: an ask is closed although it is not open",
    );
  }
  if (event.type === "run.ended") {
    must(run.prompts.length === 0, "P2: a run ends and leaves a prompt without an outcome");
    must(run.tools.length === 0, "T1: a run ends with an open call");
    must(run.asks.length === 0, "R4: a run ends with an open ask");
    must(!hasOpenChild(run), "C7: a run ends before its child");
    must(
      !state.queue.some((item) => item.kind === "prompt" && item.binding?.expected === true),
      "L6: a steer that named its run outlives it",
    );
    if (run.condition.status !== "running") {
      const { status, reason } = run.condition.outcome;
      const told = event.outcome.status === status && event.outcome.reason === reason;
      // A cancel or a deletion outranks a stop for another reason.
      const outranked = status === "failed" && event.outcome.status === "cancelled";
      must(told || outranked, "C5: a stopped run ends with another outcome");
    }
  }
}

/**
 * Checks that a prompt of a sender with a directory limit runs with that limit or a smaller one, and never in a run
 * with another limit. A scenario has a single limit, so the only other limit is none.
 */
function checkLimits(
  met: { state: LaneState; event: LaneEvent; command: Command },
  must: (holds: boolean, problem: string) => void,
): void {
  const { state, event, command } = met;
  const limit = "directories" in command ? (command.directories ?? null) : null;
  if (event.type === "prompt.accepted" && command.type === "prompt.accept") {
    must((event.directories ?? null) === limit, "a prompt has lost its sender's directory limit");
  }
  const item = state.queue.find((other) => "promptId" in event && itemId(other) === event.promptId);
  if (item?.kind !== "prompt") return;
  if (event.type === "prompt.edited" && limit !== null) {
    const limitNow = event.directories ?? item.directories;
    must(isSame(limitNow, limit), "an edited prompt goes beyond its editor's directory limit");
  }
  if (event.type === "prompt.takenIn" && event.runId !== null) {
    const run = activeRun(state)?.directories ?? null;
    must(isSame(item.directories, run), "L6: a prompt with another directory limit enters a run");
  }
}

function isSame(left: Directories, right: Directories): boolean {
  return left?.join() === right?.join();
}
