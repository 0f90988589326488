import { call } from "./call.ts";
import type { Refused } from "./errors.ts";
import { newId } from "./ids.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Ask, SessionDetail } from "./types.gen.ts";

// What a refused repetition means. The first sending may have been carried out, and what it did is
// then in the way of the second; these find out whether it is our own doing.

export interface OwnSession {
  readonly sessionId: string;
  readonly options: CallOptions & {
    readonly afterRepeat?: (refused: Refused) => Promise<SessionDetail | null>;
  };
}

/** The id of a session to be made. Under an id of our own making, what is there is what we made. */
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

/** The ask, where the answer that closed it has the verdict that we have sent. */
export function answeredAlike(refused: Refused, verdict: "allow" | "deny"): Ask | null {
  if (refused.code !== "askClosed") return null;
  const ask = askIn(refused.details);
  const resolution = ask?.closed?.resolution;
  return resolution?.kind === "answered" && resolution.verdict === verdict ? ask : null;
}

function askIn(details: unknown): Ask | null {
  const found: { ask?: Ask } = typeof details === "object" && details !== null ? details : {};
  return found.ask ?? null;
}
