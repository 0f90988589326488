import { AgentFailure } from "../agent/agent.ts";
import type { ResultBody } from "../agent/message.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { FailureReason } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import type { Body } from "../store/store.ts";
import { CommandRefused } from "./command-refused.ts";
import type { Committer } from "./committer.ts";
import { persist } from "../store/persist.ts";
import type { StorePorts } from "../store/persist.ts";

/** How the agent's work ended. The outcome of the run is decided later, by the code in `src/kernel`. */
export interface RunEnd {
  readonly status: "completed" | "failed";
  readonly reason: FailureReason | null;
  readonly text: string | null;
  readonly hold: { readonly retryIn: number | null } | null;
}

export function completed(text: string | null): RunEnd {
  return { status: "completed", reason: null, text, hold: null };
}

export function failedWith(error: unknown): RunEnd {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof AgentFailure) {
    return { status: "failed", reason: error.reason, text, hold: error.hold };
  }
  const atLimit = error instanceof CommandRefused && error.refusal.code === "stepLimit";
  const reason = atLimit ? "stepLimit" : "agentError";
  return { status: "failed", reason, text, hold: null };
}

/** Finds in the committed events whether the run has ended or continues; null if they contain neither. */
export function endingOf(events: readonly LaneEvent[]): "ended" | "goesOn" | null {
  if (events.some(({ type }) => type === "run.ended" || type === "run.closing")) return "ended";
  return events.some(({ type }) => type === "step.opened") ? "goesOn" : null;
}

/**
 * Commits the end of the run. Returns true if the run continues because prompts were steered into it meanwhile (L6).
 */
export async function endRun(
  { store, clock }: StorePorts,
  ending: { committer: Committer; end: RunEnd },
): Promise<boolean> {
  const { committer, end } = ending;
  const { status, reason, text, hold } = end;
  const body = text === null ? null : resultBody(text);
  const retryIn = hold?.retryIn ?? null;
  const retryAt = retryIn === null ? null : (await persist(() => store.now(), clock)) + retryIn;
  try {
    const { events } = await committer.commit(
      {
        type: "run.end",
        outcome: { status, reason, result: body?.hash ?? null },
        hold: hold === null ? null : { retryAt },
      },
      body === null ? [] : [body],
    );
    return endingOf(events) === "goesOn";
  } catch (error) {
    // The store refuses to end a run as completed while calls, permission requests or child sessions are open. End the
    // run as failed instead.
    if (!(error instanceof CommandRefused) || status === "failed") throw error;
    return endRun({ store, clock }, { committer, end: failedWith(error) });
  }
}

export function resultBody(text: string): Body {
  const content: ResultBody = { text };
  return makeBody(JSON.stringify(content));
}
