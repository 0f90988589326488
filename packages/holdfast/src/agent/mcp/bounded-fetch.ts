import type { FetchLike } from "@modelcontextprotocol/client";

/** Wraps fetch to report the amount of received data and to abort a response if one of its messages is too large. */
export function boundedFetch(options: {
  readonly maxMessage: number;
  readonly onData: (sent: { messages: number; bytes: number }) => void;
  readonly onCut: (problem: string) => void;
}): FetchLike {
  const { maxMessage, onData, onCut } = options;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    let bytes = 0;
    const limited = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          const ends = isStream ? eventEnds(chunk) : { count: 0, after: -1 };
          onData({ messages: ends.count + 1, bytes: chunk.length });
          bytes = ends.after === -1 ? bytes + chunk.length : chunk.length - ends.after;
          if (bytes > maxMessage) {
            const problem = `the server sent more than ${maxMessage} bytes in one message`;
            onCut(problem);
            controller.error(new Error(problem));
            return;
          }
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(limited, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

const newline = 0x0a;

/**
 * Counts lines instead of events, so that a stream of empty lines also counts as a flood. `after` is the position
 * after the last complete event, or -1.
 */
function eventEnds(chunk: Uint8Array): { count: number; after: number } {
  let count = 0;
  let after = -1;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) {
    count += 1;
    const before = chunk[at - 1] === 0x0d ? chunk[at - 2] : chunk[at - 1];
    if (before === newline) after = at + 1;
  }
  return { count, after };
}
