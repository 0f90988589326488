import type { Effect, Input } from "../../../src/runner/scheduler/input.ts";
import { openScheduler } from "../../../src/runner/scheduler/state.ts";
import type {
  SchedulerLimits,
  SchedulerState,
  Target,
} from "../../../src/runner/scheduler/state.ts";
import { step } from "../../../src/runner/scheduler/step.ts";

export interface Played {
  readonly state: SchedulerState;
  /** Gives the inputs to the scheduler and returns all effects as text. */
  readonly play: (...inputs: readonly Input[]) => string[];
}

/** Opens a scheduler without a lease. The limits are one slot and a window of ten lanes, unless given. */
export function start(limits: Partial<SchedulerLimits> = {}): Played {
  const state = openScheduler({ places: 1, perDirectory: 1, window: 10, ...limits });
  return { state, play: (...inputs) => inputs.flatMap((input) => step(state, input)).map(show) };
}

/** Opens a scheduler that has a lease and whose first scan found no lane. */
export function open(limits: Partial<SchedulerLimits> = {}): Played {
  const played = start(limits);
  played.play(leased, scanned([]));
  return played;
}

export const leased: Input = { type: "leased", node: "n" };

export function target(sessionId: string, since: number, fields: Partial<Target> = {}): Target {
  return { sessionId, directory: "/a", wants: "start", since, ...fields };
}

export function heard(news: Target): Input {
  return { type: "heard", sessionId: news.sessionId, target: news, isDue: false };
}

/** A signal that the lane needs nothing now. */
export function heardNothing(sessionId: string): Extract<Input, { type: "heard" }> {
  return { type: "heard", sessionId, target: null, isDue: false };
}

/** A signal that the lane has changed, without details. */
export function hint(sessionId: string): Input {
  return { type: "hint", sessionId };
}

export function looked(
  sessionId: string,
  found: Target | null = null,
): Extract<Input, { type: "looked" }> {
  return { type: "looked", sessionId, target: found, isDue: false };
}

export function accept(sessionId: string, directory = "/a"): Input {
  return { type: "accept", sessionId, directory };
}

export function claimed(sessionId: string, isRetry = false, owner = "n"): Input {
  return { type: "claimed", sessionId, owner, isRetry };
}

export function unclaimed(sessionId: string, why: "moved" | "absent" | "elsewhere"): Input {
  return { type: "unclaimed", sessionId, why };
}

export function ended(sessionId: string, needsNothing = false): Input {
  return { type: "ended", sessionId, needsNothing };
}

export function scanned(targets: readonly Target[], isWhole = true): Input {
  return { type: "scanned", targets, isWhole };
}

function show(effect: Effect): string {
  const { type } = effect;
  if (type === "claim") return `claim ${effect.target.sessionId}`;
  if (type === "send") return `send ${effect.sessionId}${effect.starts ? " and start" : ""}`;
  if (type === "handOver") return `handOver ${effect.sessionId} ${effect.when}`;
  if (type === "scan") return showScan(effect);
  return "sessionId" in effect ? `${type} ${effect.sessionId}` : type;
}

function showScan({ full, absent, takeOvers }: Extract<Effect, { type: "scan" }>): string {
  const excluded = [...full, ...absent.map((one) => `absent ${one}`)];
  const without = [...excluded, ...(takeOvers ? [] : ["takeovers"])].join(", ");
  return without === "" ? "scan" : `scan without ${without}`;
}
