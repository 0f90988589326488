import type { CommandData, RunHandle } from "../../../src/kernel/command.ts";
import * as make from "../support/commands.ts";
import type { Model, Lane, RunRecord, CallRecord } from "./records.ts";

/** Returns the next command of a correct owner; null if the lane waits for something else. */
export function advance(
  model: Model,
  lane: Lane,
  draw: { number: number; fresh: (prefix: string) => string },
): CommandData | null {
  const { number, fresh } = draw;
  const owner = [...model.alive][number % model.alive.size] ?? "nobody";
  const { active } = lane;
  if (active === null) return begin(lane, { owner, runId: fresh("r"), number });
  if (active.owner === null || !model.alive.has(active.owner)) {
    const kept = lane.holds.find((hold) => hold.kind === "recovery");
    if (kept !== undefined) return release(kept.id);
    return make.takeover({ owner, recovery: number % 9 === 0 ? "hold" : "resume" });
  }
  if (active.kind === "work") return make.endWork(active.id, lane.fence);
  const handle = { runId: active.id, fence: lane.fence, attempt: active.attempt };
  return proceed(active, { handle, number, fresh });
}

function begin(
  lane: Lane,
  order: { owner: string; runId: string; number: number },
): CommandData | null {
  const { owner, runId, number } = order;
  const hold = lane.holds.find((other) => other.id !== null);
  const first = lane.queue[0];
  if (hold !== undefined) return release(hold.id);
  if (first === undefined) return null;
  if (first.kind === "work")
    return { type: "work.start", workId: first.id, owner, stopGrace: 1000 };
  return make.startRun(runId, { owner, maxSteps: number % 6 === 0 ? 2 : 100, stopGrace: 1000 });
}

function release(holdId: string | null): CommandData {
  return { type: "hold.release", target: { kind: "hold", holdId: holdId ?? "none" } };
}

interface Draw {
  readonly handle: RunHandle;
  readonly number: number;
  readonly fresh: (prefix: string) => string;
}

function proceed(run: RunRecord, draw: Draw): CommandData | null {
  const { handle, number, fresh } = draw;
  const call = run.calls[number % Math.max(1, run.calls.length)];
  const ask = run.asks[0];
  if (run.stop !== null) return make.endRun(handle);
  if (run.stage === "model" && run.waitsFor === null) {
    const calls = Array.from({ length: number % 3 }, (_, index) => ({
      callId: fresh("c"),
      repeatable: (number + index) % 2 === 0,
      ...(number % 5 === 0 ? { seen: true as const, repeatable: false } : {}),
    }));
    const usage = { inputTokens: number % 10, outputTokens: number % 3, cost: 1 };
    const completes = number % 6 === 0 ? { result: null } : null;
    return make.answerStep(handle, calls, { usage, completes });
  }
  if (ask !== undefined) {
    const verdict = number % 3 === 0 ? "deny" : "allow";
    return { type: "ask.answer", askId: ask.id, verdict, body: null };
  }
  if (call !== undefined) return work(call, draw);
  if (run.children.some((child) => !child.settled)) return null;
  if (number % 4 === 0) return make.endRun(handle);
  return { type: "run.boundary", handle };
}

function work(call: CallRecord, { handle, number, fresh }: Draw): CommandData {
  if (call.gate === "denied") {
    return { type: "tool.end", handle, callId: call.id, status: "denied", body: null };
  }
  if (call.started) {
    return { type: "tool.end", handle, callId: call.id, status: "completed", body: null };
  }
  if (number % 3 === 0) return make.openAsk(handle, fresh("a"), { callId: call.id });
  return { type: "tool.start", handle, callId: call.id, body: null };
}
