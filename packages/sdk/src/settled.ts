import { call } from "./call.ts";
import { pause } from "./timing.ts";
import type { Timing } from "./timing.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Outcome, Prompt } from "./types.gen.ts";

/** How a prompt ended. A failed or cancelled prompt is an outcome as well, not an exception. */
export interface Settled {
  readonly status: Outcome["status"];
  /** Why it failed or was cancelled. */
  readonly reason: Outcome["reason"];
  /** The run that it settled with, also when another prompt had started that. */
  readonly runId: string | null;
  /** The final answer, or the error's text. */
  readonly text: string | null;
  readonly entry: Extract<Prompt, { status: "settled" }>;
}

/** Seconds that the server is asked to wait: less than what proxies in between put up with. */
export const waitSeconds = 20;
/** A server that is stopping answers at once; asking it again can wait so long. */
const leastInterval = 500;

/** Asks until the ledger says that the prompt is settled, so that no outcome can be missed (P4). */
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

/** Called before a question: what it returns pauses, if the answer came too soon to ask again. */
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
