import { BadAnswer } from "./errors.ts";
import { limited } from "./limited.ts";
import { createSseParser } from "./sse.ts";
import type { SseEvent } from "./sse.ts";
import { answered } from "./transport.ts";
import type { Outgoing, Transport } from "./transport.ts";

/**
 * Milliseconds of silence after which the connection counts as lost. The server sends something at least every 15 s.
 */
const maxSilence = 45_000;

/** Yields the events of one connection until the connection ends. May throw `Unreachable` if the connection is lost. */
export async function* readEvents(
  transport: Transport,
  outgoing: Outgoing,
  signal: AbortSignal | undefined,
): AsyncGenerator<SseEvent> {
  const { timing, tryTimeout, url } = transport.options;
  const connection = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  try {
    const response = await limited(timing, { signal, timeout: tryTimeout }, () =>
      transport.sendOnce({ ...outgoing, accept: eventStream }, connection.signal),
    );
    reader = bodyOf(response, url);
    const source = reader;
    const parser = createSseParser();
    for (;;) {
      const { done, value } = await limited(timing, { signal, timeout: maxSilence }, () =>
        answered(url, () => source.read()),
      );
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    // Abort and also cancel the body: a server in this process may ignore the signal, but it notices a cancelled body.
    // Ignore an error of the cancel, because the stream has already ended or failed.
    connection.abort();
    reader?.cancel().catch(() => {});
  }
}

const eventStream = "text/event-stream";

function bodyOf(response: Response, url: string): ReadableStreamDefaultReader<Uint8Array> {
  const type = response.headers.get("content-type") ?? "nothing";
  if (response.body !== null && type.startsWith(eventStream)) return response.body.getReader();
  throw new BadAnswer(`${url} answered with ${type} instead of an event stream; check the url`);
}
