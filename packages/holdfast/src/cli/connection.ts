import { openClient } from "../compose/client.ts";
import type { Places } from "../compose/client.ts";
import { endedHeader } from "../compose/found-server.ts";
import type { ServerClient } from "../compose/server-client.ts";
import { SetupError } from "../server/setup-error.ts";

/** Opens a client of the store's server; null if there is none. */
export async function findServer(place: Places["running"]): Promise<ServerClient | null> {
  try {
    return await openClient(place, "running");
  } catch (error) {
    if (error instanceof SetupError && error.code === "noServer") return null;
    throw error;
  }
}

type Send = (request: Request) => Promise<Response>;

/** The server became unreachable or reachable. */
export interface ConnectionChange {
  readonly isAway: boolean;
  /** Message for people. */
  readonly words: string;
}

/** Wraps the function that sends requests, and reports when the server becomes unreachable and when it is back. */
export function watchConnection(options: {
  patience: number;
  onChange: (change: ConnectionChange) => void;
  /**
   * Called after `onChange` for each request that fails because the server has ended and is not started again unless a
   * person asks for it.
   */
  onEnded?: () => void;
}): (send: Send) => Send {
  const { patience, onChange, onEnded } = options;
  let known: keyof typeof causes | null = null;
  const note = (cause: keyof typeof causes | null): void => {
    const last = known;
    known = cause;
    const isAway = cause !== null;
    const seconds = Math.ceil(patience / 1_000);
    const words = isAway ? `${causes[cause]}; waiting up to ${seconds} s` : "the server is back";
    if (isAway !== (last !== null)) onChange({ isAway, words });
    if (cause === "ended") onEnded?.();
  };
  return (send) => async (request) => {
    try {
      const response = await send(request);
      note(causeIn(response));
      return response;
    } catch (error) {
      // An aborted request does not mean that the server is unreachable.
      if (!request.signal.aborted) note("away");
      throw error;
    }
  };
}

const causes = {
  away: "the server is unreachable",
  ended: "the server is unreachable",
  busy: "the server is not ready: it is starting, stopping or cannot reach its database",
} as const;

/**
 * Only the server itself sends Retry-After. A proxy error without it means that the server is
 * unreachable.
 */
function causeIn({ status, headers }: Response): keyof typeof causes | null {
  if (![502, 503, 504].includes(status)) return null;
  if (headers.has(endedHeader)) return "ended";
  return status === 503 && headers.has("retry-after") ? "busy" : "away";
}
