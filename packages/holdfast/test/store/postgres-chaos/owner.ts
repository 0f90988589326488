import { randomUUID } from "node:crypto";
import type { LaneState, Run } from "../../../src/kernel/state.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { PendingLane, Store } from "../../../src/store/store.ts";
import type { Caller, CallerCommand } from "./caller.ts";

export interface OwnerOptions {
  readonly store: Store;
  readonly caller: Caller;
  readonly nodeId: () => string;
  readonly random: () => number;
  /** Steps of a run, and tool calls of a step, at most. */
  readonly steps: number;
  readonly calls: number;
}

/** Does what a lane wants. It never looks at its own lease: the store has to fence it off (L5). */
export async function attend(options: OwnerOptions, lane: PendingLane): Promise<void> {
  const { caller, nodeId } = options;
  const { sessionId } = lane;
  const owner = nodeId();
  switch (lane.wants) {
    case "tick":
      await caller.call({ type: "lane.tick", sessionId });
      return;
    case "work":
      return;
    case "takeOver": {
      const generation = null;
      const recovery = options.random() < 0.9 ? "resume" : "settle";
      const takeover = { type: "lane.takeover", sessionId, owner, generation, recovery } as const;
      const answer = await caller.call(takeover);
      if (answer?.status === "done") await execute(options, answer.state);
      return;
    }
    case "start": {
      const answer = await caller.call({
        type: "run.start",
        sessionId,
        runId: randomUUID(),
        owner,
        generation: null,
        maxSteps: 100,
        stopGrace: 300,
        budget: null,
      });
      if (answer?.status === "done") await execute(options, answer.state);
    }
  }
}

/** Goes on from what each answer says, as long as the store lets it. */
async function execute(options: OwnerOptions, begun: LaneState): Promise<void> {
  const { store, caller } = options;
  const first = activeRun(begun);
  if (first?.owner !== options.nodeId()) return;
  const handle = { runId: first.runId, fence: begun.fence, attempt: first.attempt };
  const { sessionId } = begun;
  let state: LaneState | null = begun;
  for (;;) {
    const run = state === null ? null : activeRun(state);
    if (run?.runId !== handle.runId || run.attempt !== handle.attempt || run.owner === null) return;
    const answer = await caller.call(nextCommand(options, { sessionId, handle, run }));
    if (answer?.status === "done") {
      ({ state } = answer);
    } else if (answer === null || answer.refusal.code === "stopping") {
      // Whether it happened is not known, or a cancel came between: what is stored decides.
      state = await store.lane(sessionId).catch(() => null);
    } else {
      return;
    }
  }
}

function nextCommand(
  options: OwnerOptions,
  at: { sessionId: string; handle: { runId: string; fence: number; attempt: number }; run: Run },
): CallerCommand {
  const { random } = options;
  const { sessionId, handle, run } = at;
  const target = { sessionId, handle };
  const outcome = { status: "completed", reason: null, result: null } as const;
  if (run.condition.status !== "running") {
    return { type: "run.end", ...target, outcome, hold: null };
  }
  const [tool] = run.tools;
  switch (run.stage) {
    case "boundary":
      return { type: "run.boundary", ...target };
    case "model": {
      const count = Math.floor(random() * (options.calls + 1));
      const calls = Array.from({ length: count }, () => ({
        callId: randomUUID(),
        name: "edit",
        repeatable: random() < 0.2,
      }));
      const usage = { inputTokens: 1, outputTokens: 1, cost: 0 };
      return { type: "step.answer", ...target, body: "answer", calls, usage, interrupted: false };
    }
    case "tools":
      if (tool !== undefined) {
        const { callId, repeatable, started } = tool;
        if (!repeatable && !started) return { type: "tool.start", ...target, callId };
        return { type: "tool.end", ...target, callId, status: "completed", body: null };
      }
      if (random() * options.steps < run.step) {
        return { type: "run.end", ...target, outcome, hold: null };
      }
      return { type: "run.boundary", ...target };
  }
}
