import { call } from "./call.ts";
import type { Refused } from "./errors.ts";
import { newId } from "./ids.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Ask, SessionDetail } from "./types.gen.ts";

// A repeated request may be refused although the server executed the first request, because the first response was
// lost. These functions find out whether that happened.

export interface OwnSession {
  readonly sessionId: string;
  readonly options: CallOptions & {
    readonly afterRepeat?: (refused: Refused) => Promise<SessionDetail | null>;
  };
}

/** Chooses the id of a new session. If a session with our random id already exists, our first request created it. */
export function ownSession(
  transport: Transport,
  chosen: string | undefined,
  options: CallOptions,
): OwnSession {
  if (chosen !== undefined) return { sessionId: chosen, options };
  const sessionId = newId("session");
  const afterRepeat = async ({ code }: Refused): Promise<SessionDetail | null> => {
    if (code !== "conflict") return null;
    return call(transport, "GET /v1/sessions/{sessionId}", { params: { sessionId }, ...options });
  };
  return { sessionId, options: { ...options, afterRepeat } };
}

/**
 * Called if an answer to a permission request was sent again and then refused. If the request was closed by an answer
 * with the same verdict, this was probably the first attempt: returns the request, so that the call succeeds.
 */
export function answeredAlike(refused: Refused, verdict: "allow" | "deny"): Ask | null {
  if (refused.code !== "askClosed") return null;
  const { ask } = refused.details;
  const resolution = ask.closed?.resolution;
  return resolution?.kind === "answered" && resolution.verdict === verdict ? ask : null;
}
