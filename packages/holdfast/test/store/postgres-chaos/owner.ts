import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { LaneState, ParentLink, Run } from "../../../src/kernel/state.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { Answer } from "../../../src/kernel/transaction.ts";
import type { PendingLane, Store } from "../../../src/store/store.ts";
import type { Caller, CallerCommand } from "./caller.ts";
import { acceptance, bodiesOf } from "./client.ts";

export interface OwnerOptions {
  readonly store: Store;
  readonly caller: Caller;
  readonly nodeId: () => string;
  readonly random: () => number;
  /** Steps of a run, and tool calls of a step, at most. */
  readonly steps: number;
  readonly calls: number;
}

/** Does the next action of a lane. It never checks its own lease: the store must refuse its late writes (L5). */
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
      await execute(options, { sessionId, answer: await caller.call(takeover) });
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
        opensStep: false,
      });
      await execute(options, { sessionId, answer });
    }
  }
}

/** Continues from the state in each answer, as long as the store accepts the writes. */
async function execute(
  options: OwnerOptions,
  begin: { sessionId: string; answer: Answer | null },
): Promise<void> {
  const { caller } = options;
  const { sessionId, answer: begun } = begin;
  if (begun?.status === "refused") return;
  let state = begun?.state ?? (await readState(options, sessionId));
  const first = activeRun(state);
  if (first?.owner !== options.nodeId()) return;
  const handle = { runId: first.runId, fence: state.fence, attempt: first.attempt };
  for (;;) {
    const run = activeRun(state);
    if (run?.runId !== handle.runId || run.attempt !== handle.attempt || run.owner === null) return;
    const child = run.children.find(({ outcome }) => outcome === null);
    if (child !== undefined && run.condition.status === "running") {
      await sendChild(options, {
        ...child,
        parent: { sessionId, runId: run.runId, background: false },
      });
      await delay(20);
      state = await readState(options, sessionId);
      continue;
    }
    const command = nextCommand(options, { sessionId, handle, run });
    const answer = await caller.call(command);
    if (answer?.status === "done") {
      ({ state } = answer);
      if (command.type === "child.link" && command.background) {
        const parent = { sessionId, runId: run.runId, background: true };
        const { childSessionId, childPromptId: promptId } = command;
        await sendChild(options, { sessionId: childSessionId, promptId, parent });
      }
    } else if (answer === null || answer.refusal.code === "stopping") {
      // It is unknown whether the write happened, or a cancel came in between: read the stored state.
      state = await readState(options, sessionId);
    } else {
      return;
    }
  }
}

async function readState(options: OwnerOptions, sessionId: string): Promise<LaneState> {
  for (;;) {
    const state = await options.store.lane(sessionId).catch(() => null);
    if (state !== null) return state;
  }
}

/**
 * Sends the child's prompt. The next owner of the parent repeats it, because this process may die before it is sent
 * (C7).
 */
async function sendChild(
  options: OwnerOptions,
  child: { sessionId: string; promptId: string; parent: ParentLink },
): Promise<void> {
  const { sessionId, promptId, parent } = child;
  const known = await options.store.prompt(sessionId, promptId).catch(() => null);
  if (known !== null) return;
  const accept = acceptance(sessionId, { promptId, delivery: "queue" });
  await options.caller.call({ ...accept, parent }, bodiesOf(accept));
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
      return {
        type: "step.answer",
        ...target,
        body: "answer",
        calls,
        usage,
        interrupted: false,
        completes: null,
      };
    }
    case "tools":
      if (tool !== undefined) {
        const { callId, repeatable, started } = tool;
        if (!repeatable && !started) return { type: "tool.start", ...target, callId, body: null };
        return { type: "tool.end", ...target, callId, status: "completed", body: null };
      }
      if (!sessionId.startsWith("child-") && random() < 0.1) {
        const childSessionId = `child-of-${sessionId}`;
        return {
          type: "child.link",
          ...target,
          childSessionId,
          childPromptId: randomUUID(),
          background: random() < 0.4,
          callId: null,
          create: { contentHash: "session", directory: "/project/child" },
        };
      }
      if (random() * options.steps < run.step) {
        return { type: "run.end", ...target, outcome, hold: null };
      }
      return { type: "run.boundary", ...target };
  }
}
