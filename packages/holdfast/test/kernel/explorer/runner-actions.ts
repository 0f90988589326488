import { attention } from "../../../src/kernel/attention.ts";
import type { CommandData, RunHandle } from "../../../src/kernel/command.ts";
import { activeRun, noUsage } from "../../../src/kernel/state.ts";
import type { LaneState, Run } from "../../../src/kernel/state.ts";
import * as make from "../support/commands.ts";
import { offer } from "./action.ts";
import type { ActionOptions, Choices } from "./action.ts";
import { later } from "./client-actions.ts";
import type { ChildKind, Scenario } from "./scenario.ts";
import { laneOf, leaseOf, nodeName } from "./world.ts";
import type { World, WorldLane } from "./world.ts";

/**
 * Actions of processes on a lane. A dead owner still sends commands, like a frozen process that wakes up; no rule may
 * rely on them.
 */
export function offerRunnerActions(choices: Choices, scenario: Scenario, lane: WorldLane): void {
  const { state } = lane;
  if (state === null) return;
  offerClaims(choices, { scenario, lane, state });
  const { active } = state;
  if (active === null) return;
  const { alive } = leaseOf(lane);
  const who = alive ? "" : "late ";
  if (active.kind === "work") {
    const data = make.endWork(active.workId, state.fence);
    offer(choices, { lane, label: `${who}work.end`, data }, { isSteady: alive });
    return;
  }
  if (active.owner === null) return;
  const handle = { runId: active.runId, fence: state.fence, attempt: active.attempt };
  const send = (label: string, data: CommandData, options: ActionOptions = {}): void => {
    const isSteady = alive && options.isSteady !== false;
    offer(choices, { lane, label: who + label, data }, { ...options, isSteady });
  };
  for (const owned of ownerCommands(handle, { run: active, scenario, now: choices.world.now })) {
    send(owned.label, owned.data, owned.options);
  }
  offerLinks(choices, { scenario, lane, handle, send });
}

export interface Owned {
  readonly label: string;
  readonly data: CommandData;
  readonly options?: ActionOptions;
}

/** All commands that the owner of a run may send, in any stage of the run. */
export function ownerCommands(
  handle: RunHandle,
  context: { run: Run | null; scenario: Scenario; now: number },
): Owned[] {
  const { run, scenario, now } = context;
  const owned: Owned[] = [{ label: "run.end completed", data: make.endRun(handle) }];
  if (scenario.steps) {
    owned.push({ label: "run.boundary", data: { type: "run.boundary", handle } });
  }
  for (const tools of scenario.steps ? scenario.answers : []) {
    const calls = tools.map((tool, index) => ({
      callId: scenario.hosts ? `call${run?.step}.${index}` : `call${index}`,
      repeatable: tool === "repeatable",
      ...(tool === "seen" ? { seen: true as const } : {}),
    }));
    const label = `step.answer ${tools.join(" and ") || "without calls"}`;
    const { usage } = scenario;
    owned.push({ label, data: make.answerStep(handle, calls, { usage }) });
    const last = make.answerStep(handle, calls, { usage, completes: { result: null } });
    owned.push({ label: `${label}, the last`, data: last });
  }
  for (const { callId, repeatable } of run?.tools ?? []) {
    const label = `${callId} (${repeatable ? "repeatable" : "once"})`;
    for (const takes of scenario.hosts ? [[], ["s1"]] : []) {
      const data = { type: "run.boundary", handle, within: callId, takes } as const;
      owned.push({ label: `run.boundary within ${callId}`, data });
    }
    owned.push({
      label: `tool.start ${label}`,
      data: { type: "tool.start", handle, callId, body: null },
    });
    for (const status of ["completed", "denied"] as const) {
      const data = { type: "tool.end", handle, callId, status, body: null } as const;
      owned.push({ label: `tool.end ${status} ${label}`, data });
    }
    for (const ask of scenario.asks) {
      const askId = `${handle.runId}:${run?.step}:${callId}`;
      const expiresAt = ask === "expires" ? now + later : null;
      const data = make.openAsk(handle, askId, { callId, expiresAt });
      owned.push({ label: `ask.open ${ask}`, data, options: { isSteady: false, spends: "asks" } });
    }
  }
  for (const failure of scenario.failures) {
    const outcome = { status: "failed", reason: "badKey" } as const;
    const hold = failure === "plain" ? null : { retryAt: failure === "hold" ? null : now + later };
    const data = make.endRun(handle, outcome, hold);
    owned.push({ label: `run.end failed ${failure}`, data, options: { isSteady: false } });
  }
  const handOver = { type: "run.handOver", handle } as const;
  const options = { isSteady: false, spends: "handOvers" } as const;
  owned.push({ label: "run.handOver", data: handOver, options });
  return owned;
}

/** Commands that any process may send to any lane; the kernel decides whether they apply. */
function offerClaims(
  choices: Choices,
  target: { scenario: Scenario; lane: WorldLane; state: LaneState },
): void {
  const { scenario, lane, state } = target;
  const { ready, dueAt } = attention(state);
  const owner = nodeName(lane);
  for (const opensStep of scenario.steps ? [false, true] : [false]) {
    const start = make.startRun(`r${state.fence + 1}`, {
      owner,
      generation: "1.content",
      maxSteps: scenario.maxSteps,
      stopGrace: later,
      askTime: scenario.askTime,
      opensStep,
    });
    const label = opensStep ? "run.start with a step" : "run.start";
    const wanted = ready === "start" && !waitsForParent(choices.world, state);
    offer(choices, { lane, label, data: start }, { wanted });
  }
  const work = [state.active, ...state.queue].find((item) => item?.kind === "work");
  if (work?.kind === "work") {
    const { workId } = work;
    const data = { type: "work.start", workId, owner, stopGrace: later } as const;
    offer(choices, { lane, label: "work.start", data }, { wanted: ready === "work" });
  }
  if (state.active !== null) {
    const lost = state.active.owner !== null && !leaseOf(lane).alive;
    for (const recovery of scenario.recovery) {
      const data = make.takeover({ owner, generation: "1.content", recovery });
      const wanted = lost || ready === "takeOver";
      offer(choices, { lane, label: `takeover (${recovery})`, data }, { wanted });
    }
  }
  const due = dueAt !== null && dueAt <= choices.world.now;
  offer(choices, { lane, label: "tick", data: { type: "lane.tick" } }, { wanted: due });
}

/** The parent's node is gone, and the parent is to be resumed first (M7). */
function waitsForParent(world: World, { queue, directory }: LaneState): boolean {
  const [first] = queue;
  const link = first?.kind === "prompt" ? first.parent : null;
  const lane = link === null ? null : laneOf(world, link.sessionId);
  if (lane === null || lane.state === null || leaseOf(lane).alive) return false;
  const run = activeRun(lane.state);
  const isHeld = lane.state.holds.some(({ kind }) => kind === "recovery");
  const isInterrupted = run?.runId === link?.runId && run?.condition.status === "running";
  return isInterrupted && lane.state.directory === directory && !isHeld;
}

function offerLinks(
  choices: Choices,
  parent: {
    scenario: Scenario;
    lane: WorldLane;
    handle: RunHandle;
    send: (label: string, data: CommandData, options?: ActionOptions) => void;
  },
): void {
  for (const child of parent.scenario.children) {
    const isLinked = choices.world.linkedBy[child.promptId] !== undefined;
    if (child.from !== parent.lane.sessionId || isLinked) continue;
    const data = linkCommand(parent.handle, child);
    parent.send(`child.link ${child.promptId}`, data, { isSteady: false, spends: "links" });
  }
}

export function linkCommand(handle: RunHandle, child: ChildKind): CommandData {
  const created = { contentHash: "created", directory: "/project" };
  const { to: sessionId, promptId, background, create } = child;
  return make.linkChild(
    handle,
    { sessionId, promptId },
    { background, create: create ? created : null },
  );
}

/** Delivers a child prompt: from the run that linked it, or late, after that run has ended. */
export function offerChildPrompts(choices: Choices, scenario: Scenario): void {
  for (const child of scenario.children) offerChildPrompt(choices, child);
}

function offerChildPrompt(choices: Choices, child: ChildKind): void {
  const { world } = choices;
  const { promptId, from, to, background } = child;
  const linkedBy = world.linkedBy[promptId];
  const [parent, lane] = [laneOf(world, from), laneOf(world, to)];
  if (linkedBy === undefined || parent === null || lane === null) return;
  if (lane.state === null || parent.state === null) return;
  const run = activeRun(parent.state);
  const row = lane.prompts.get(promptId);
  const working = run?.runId === linkedBy && leaseOf(parent).alive;
  if (row === undefined) {
    const data = make.accept(promptId, {
      contentHash: promptId,
      parent: { sessionId: from, runId: linkedBy, background },
      accounts: world.inherited[promptId] ?? [],
    });
    offer(choices, { lane, label: `accept child ${promptId}`, data }, { isSteady: working });
  }
  if (row === undefined && lane.state.status === "deleted" && working) {
    const data = {
      type: "child.settle",
      childSessionId: to,
      childPromptId: promptId,
      outcome: { status: "failed", reason: "refused", runId: null, result: null },
      usage: noUsage,
    } as const;
    const label = "child.settle refused";
    offer(choices, { lane: parent, label, data }, { isSteady: true });
  }
}
