import { AgentFailure } from "../agent/agent.ts";
import type { ResultBody } from "../agent/message.ts";
import type { FailureReason } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import type { Store } from "../store/store.ts";
import { CommandRefused } from "./command-refused.ts";
import type { Committer } from "./committer.ts";
import { persist } from "./persist.ts";

/** How the agent's work came to its end; what the run's outcome is, the kernel says. */
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

/** Commits the end. True when the run goes on, because prompts were steered in meanwhile (L6). */
export async function endRun(
  store: Store,
  ending: { committer: Committer; end: RunEnd },
): Promise<boolean> {
  const { committer, end } = ending;
  const { status, reason, text, hold } = end;
  const content: ResultBody | null = text === null ? null : { text };
  const body = content === null ? null : makeBody(JSON.stringify(content));
  const retryIn = hold?.retryIn ?? null;
  const retryAt = retryIn === null ? null : (await persist(() => store.now())) + retryIn;
  try {
    const { events } = await committer.commit(
      {
        type: "run.end",
        outcome: { status, reason, result: body?.hash ?? null },
        hold: hold === null ? null : { retryAt },
      },
      body === null ? [] : [body],
    );
    return events.some((event) => event.type === "step.opened");
  } catch (error) {
    // It says that it is done and has left calls, asks or children open.
    if (!(error instanceof CommandRefused) || status === "failed") throw error;
    return endRun(store, { committer, end: failedWith(error) });
  }
}
