import { call } from "./call.ts";
import { newId } from "./ids.ts";
import { askAgainLater, waitSeconds } from "./settled.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { RevertInput, Work } from "./types.gen.ts";

/** Requests a revert and polls until it is done, because a revert waits in the queue. All requests use one id. */
export async function untilReverted(
  transport: Transport,
  params: { sessionId: string; runId: string },
  { signal, patience, workId = newId("work"), ...input }: RevertInput & CallOptions,
): Promise<Work> {
  const options = { signal, patience };
  const path = "/v1/sessions/{sessionId}/runs/{runId}/revert";
  const body = { ...input, workId };
  let work = await call(transport, `POST ${path}`, { params, body, ...options });
  while (work.status !== "ended") {
    const again = askAgainLater(transport.options.timing, signal);
    work = await call(transport, "GET /v1/sessions/{sessionId}/work/{workId}", {
      params: { sessionId: params.sessionId, workId },
      query: { wait: waitSeconds },
      wait: waitSeconds * 1_000,
      ...options,
    });
    if (work.status !== "ended") await again();
  }
  return work;
}
