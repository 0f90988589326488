import type { RunHandle } from "../../../src/kernel/command.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { Run, ToolCall } from "../../../src/kernel/state.ts";
import type { PendingLane } from "../../../src/store/store.ts";
import { openLane } from "../lane-client.ts";
import type { LaneClient } from "../lane-client.ts";
import { createBell } from "./bell.ts";
import type { Bell } from "./bell.ts";
import { retrying } from "./retrying.ts";
import type { Workplace } from "./workload.ts";

/** Runs all pending lanes until the condition holds. */
export async function runAgents(
  place: Workplace,
  isFinished: () => Promise<boolean>,
): Promise<void> {
  const { store, job } = place;
  const bell = createBell();
  const unwatch = store.watch(() => bell.ring());
  const busy = new Set<string>();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
    bell.ring();
  };
  const renew = async (): Promise<void> => {
    const answer = await store.renew(job.nodeId);
    if (answer.status === "lost") throw new Error(`the lease of ${job.nodeId} was lost`);
  };
  const renewal = setInterval(() => void renew().catch(fail), job.ttl / 4);
  try {
    while (failures.length === 0) {
      const { lanes, nextDueIn } = await retrying(() => store.pending({ limit: 50 }));
      for (const pending of lanes) {
        const { sessionId } = pending;
        if (busy.has(sessionId)) continue;
        busy.add(sessionId);
        void takeUp({ place, bell }, pending)
          .catch(fail)
          .finally(() => {
            busy.delete(sessionId);
            bell.ring();
          });
      }
      if (lanes.length === 0 && busy.size === 0 && (await isFinished())) break;
      await bell.wait(Math.min(nextDueIn ?? 50, 50));
    }
  } finally {
    clearInterval(renewal);
    unwatch();
  }
  if (failures.length > 0) throw new AggregateError(failures, "the workload failed");
}

interface Agent {
  readonly place: Workplace;
  readonly bell: Bell;
}

async function takeUp(agent: Agent, pending: PendingLane): Promise<void> {
  const { store, job, random } = agent.place;
  const lane = openLane(store, pending.sessionId);
  switch (pending.wants) {
    case "start": {
      const runId = `${job.nodeId}-${pending.sessionId}-${pending.seq}`;
      const fields = { owner: job.nodeId, stopGrace: 1000, maxSteps: 6 };
      const answer = await retrying(() => lane.start(runId, fields));
      if (answer.status === "done") await drive(agent, lane);
      return;
    }
    case "takeOver": {
      const recovery = random.chance(0.1) ? "settle" : random.chance(0.1) ? "hold" : "resume";
      const answer = await retrying(() => lane.takeover({ owner: job.nodeId, recovery }));
      if (answer.status === "refused") return;
      // Releases a run that waits for a person, as a person would (R1).
      for (const hold of answer.state.holds) {
        if (hold.kind === "recovery") await retrying(() => lane.release(hold.holdId));
      }
      await drive(agent, lane);
      return;
    }
    case "tick":
      await retrying(() => lane.tick());
      return;
    case "work":
      throw new Error("nobody has asked for exclusive work");
  }
}

/** Continues a run until it ends or belongs to another process. */
async function drive(agent: Agent, lane: LaneClient): Promise<void> {
  const { job } = agent.place;
  for (;;) {
    const state = await retrying(() => lane.state());
    const run = activeRun(state);
    if (run === null || run.owner !== job.nodeId || run.condition.status === "closing") return;
    const handle = { runId: run.runId, fence: state.fence, attempt: run.attempt };
    if (run.condition.status === "stopping") await retrying(() => lane.end({}, { handle }));
    else await goOn(agent, { lane, run, handle, seq: state.seq });
  }
}

interface Step {
  readonly lane: LaneClient;
  readonly run: Run;
  readonly handle: RunHandle;
  /** The version of the lane that this step was chosen for. */
  readonly seq: number;
}

/** Sends one write. A refusal shows in the state that is read next. */
async function goOn(agent: Agent, step: Step): Promise<void> {
  const { random } = agent.place;
  const { lane, run, handle } = step;
  const tool = run.tools[random.below(run.tools.length)];
  if (tool !== undefined) {
    await useTool(agent, { ...step, tool });
    return;
  }
  if (run.stage === "boundary") {
    await retrying(() => lane.boundary(handle));
    return;
  }
  if (run.stage === "model") {
    const calls = Array.from({ length: random.below(3) }, (_, call) => ({
      callId: `${run.step}-${call}`,
      repeatable: random.chance(0.5),
    }));
    await retrying(() => lane.answer(calls, handle));
    return;
  }
  const child = run.children.find(({ outcome }) => outcome === null);
  if (child !== undefined) {
    await sendChild(agent, { ...step, child, background: false });
    // Most runs wait for the child; some end at once, which cancels the child (C7).
    if (random.chance(0.8)) {
      await agent.bell.wait(20);
      return;
    }
  } else if (lane.sessionId.startsWith("session-") && random.chance(0.15)) {
    await linkChild(agent, step);
    return;
  }
  if (run.step < run.limits.maxSteps && random.chance(0.4)) {
    await retrying(() => lane.boundary(handle));
    return;
  }
  await finish(agent, step);
}

async function useTool(agent: Agent, step: Step & { tool: ToolCall }): Promise<void> {
  const { random } = agent.place;
  const { lane, run, handle, tool } = step;
  const { callId } = tool;
  const ask = run.asks.find((candidate) => candidate.callId === callId);
  if (ask !== undefined) {
    await retrying(() => lane.answerAsk(ask.askId, random.chance(0.7) ? "allow" : "deny"));
  } else if (tool.gate === "denied") {
    await retrying(() => lane.endTool(callId, "denied"));
  } else if (!tool.started && random.chance(0.1)) {
    await retrying(() => lane.ask(`ask-${run.runId}-${callId}`, { callId }));
  } else if (!tool.started && !tool.repeatable) {
    await retrying(() => lane.startTool(callId, handle));
  } else {
    await retrying(() => lane.endTool(callId, random.chance(0.9) ? "completed" : "failed"));
  }
}

async function linkChild(agent: Agent, step: Step): Promise<void> {
  const { lane, run, seq } = step;
  const background = agent.place.random.chance(0.5);
  const child = {
    sessionId: `child-of-${lane.sessionId}`,
    promptId: `${run.runId}-${seq}`,
  };
  const create = { contentHash: "created", directory: "/project" };
  const answer = await retrying(() => lane.link(child, { background, create }));
  if (answer.status === "done") await sendChild(agent, { ...step, child, background });
}

async function sendChild(
  agent: Agent,
  step: Step & { child: { sessionId: string; promptId: string }; background: boolean },
): Promise<void> {
  const { lane, run, child, background } = step;
  const parent = { sessionId: lane.sessionId, runId: run.runId, background };
  const childLane = openLane(agent.place.store, child.sessionId);
  await retrying(() => childLane.accept(child.promptId, { parent }));
}

async function finish(agent: Agent, step: Step): Promise<void> {
  const { random, store } = agent.place;
  const { lane, handle } = step;
  if (random.chance(0.9)) {
    await retrying(() => lane.end({ status: "completed" }, { handle }));
  } else if (random.chance(0.7)) {
    await retrying(() => lane.end({ status: "failed", reason: "agentError" }, { handle }));
  } else {
    const hold = { retryAt: (await store.now()) + 10 };
    await retrying(() => lane.end({ status: "failed", reason: "noQuota" }, { handle, hold }));
  }
}
