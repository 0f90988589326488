import { call } from "./call.ts";
import { pause } from "./timing.ts";
import type { Timing } from "./timing.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Outcome, Prompt } from "./types.gen.ts";

/** The outcome of a prompt. A failed or cancelled prompt is an outcome, not an exception. */
export interface Settled {
  readonly status: Outcome["status"];
  /** Why the prompt failed or was cancelled. */
  readonly reason: Outcome["reason"];
  /** The run that answered the prompt, even if another prompt started that run. */
  readonly runId: string | null;
  /** The final answer, or the error message. */
  readonly text: string | null;
  readonly entry: Extract<Prompt, { status: "settled" }>;
}

/** Seconds that one long poll waits: less than the timeouts of common proxies. */
export const waitSeconds = 20;
/** Minimum interval between polls in milliseconds, because a stopping server answers long polls at once. */
const leastInterval = 500;

/** Polls until the prompt is settled, so that no outcome is missed (P4). */
export async function untilSettled(
  transport: Transport,
  params: { sessionId: string; promptId: string },
  options: CallOptions,
): Promise<Settled> {
  const query = { wait: waitSeconds };
  for (;;) {
    const again = askAgainLater(transport.options.timing, options.signal);
    const entry = await call(transport, "GET /v1/sessions/{sessionId}/prompts/{promptId}", {
      params,
      query,
      wait: waitSeconds * 1_000,
      ...options,
    });
    if (entry.status === "settled") {
      const { status, reason, runId } = entry.outcome;
      return { status, reason, runId, text: entry.result, entry };
    }
    await again();
  }
}

/** Call before a poll. The returned function pauses if the poll was answered too soon. */
export function askAgainLater(
  timing: Timing,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  const began = timing.now();
  return async () => {
    const milliseconds = leastInterval - (timing.now() - began);
    if (milliseconds > 0) await pause(timing, { milliseconds, signal });
  };
}
