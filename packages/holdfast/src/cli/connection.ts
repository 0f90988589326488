import type { Lines } from "./lines.ts";

type Send = (request: Request) => Promise<Response>;

/** Stands before what sends requests to a server, and says when that is lost and when it is back. */
export function watchConnection(options: {
  lines: Pick<Lines, "say">;
  patience: number;
}): (send: Send) => Send {
  const { lines, patience } = options;
  let isLost = false;
  const note = (isAway: boolean): void => {
    if (isAway === isLost) return;
    isLost = isAway;
    const seconds = Math.ceil(patience / 1_000);
    lines.say(
      isAway ? `the server is away; waiting up to ${seconds} s for it` : "the server is back",
    );
  };
  return (send) => async (request) => {
    try {
      const response = await send(request);
      note(awayStatuses.has(response.status));
      return response;
    } catch (error) {
      // A request that was given up here says nothing about the server.
      if (!request.signal.aborted) note(true);
      throw error;
    }
  };
}

/** It is starting or stopping, or a proxy does not reach it. */
const awayStatuses = new Set([502, 503, 504]);
