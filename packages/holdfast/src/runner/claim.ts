import type { AgentFailure } from "../agent/agent.ts";
import type { RunHandle } from "../kernel/command.ts";
import { activeRun } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Answer } from "../kernel/transaction.ts";
import type { Pin } from "../workspace/workspaces.ts";
import type { Slot } from "./slots.ts";

/** A run that this process has just got, with what it needs to work on it. */
export type Claim = {
  readonly state: LaneState;
  readonly handle: RunHandle;
  readonly slot: Slot;
} & Pinned;

/** The run's generation, or why its directory could not be loaded: the run can only say so then. */
export type Pinned =
  | { readonly pin: Pin; readonly problem: null }
  | { readonly pin: null; readonly problem: AgentFailure };

/** The handle that a start or a takeover gave to the given owner; null when it gave none. */
export function handleFrom(answer: Answer, owner: string): RunHandle | null {
  if (answer.status === "refused" || answer.events.length === 0) return null;
  const run = activeRun(answer.state);
  if (run?.owner !== owner || run.condition.status !== "running") return null;
  return { runId: run.runId, fence: answer.state.fence, attempt: run.attempt };
}
