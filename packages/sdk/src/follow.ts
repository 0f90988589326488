import { createTries } from "./backoff.ts";
import { BadAnswer, Refused, throwIfAborted, Unreachable } from "./errors.ts";
import { readEvents } from "./event-source.ts";
import type { SseEvent } from "./sse.ts";
import { nextTry } from "./transport.ts";
import type { CallOptions, Outgoing, Transport } from "./transport.ts";

/** A stream that can continue after a lost connection. */
export interface Followed<Item> {
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Start after this position. Undefined: start with the first event. */
  readonly after: string | undefined;
  /** False: end after the last event that exists now. */
  readonly follow: boolean;
  /**
   * Reads an event of the stream. Returns a null `item` if the event is not for the caller. Throws if the stream has
   * skipped an event.
   */
  readonly read: (event: SseEvent, position: string | undefined) => Reading<Item>;
  /** Rewrites the position for servers that do not know its format; returns null if that is impossible. */
  readonly plainer?: (position: string) => string | null;
}

export interface Reading<Item> {
  readonly item: Item | null;
  /**
   * Position in the stream from which to continue after a lost connection; null if this event does not change the
   * position.
   */
  readonly position: string | null;
}

/** Yields every event once and in order (T2). Reconnects as often as needed. */
export async function* followStream<Item>(
  transport: Transport,
  stream: Followed<Item>,
  { signal, patience = transport.options.patience }: CallOptions,
): AsyncGenerator<Item> {
  const { timing, backoff, url } = transport.options;
  const tries = createTries(timing, { backoff, patience });
  let position = stream.after;
  for (;;) {
    let heard = false;
    let moved = false;
    let lost: unknown = new Unreachable(`${url} closed the stream of events`);
    try {
      for await (const event of readEvents(transport, outgoing(stream, position), signal)) {
        throwIfAborted(signal);
        if (event.type === "closed") {
          moved = false;
          break;
        }
        const reading = stream.read(event, position);
        heard = true;
        if (reading.position !== null) {
          moved ||= reading.position !== position;
          position = reading.position;
        }
        if (reading.item !== null) yield reading.item;
        if (!stream.follow && event.type === "live") return;
      }
    } catch (error) {
      const plainer = isBadCursor(error) ? (stream.plainer?.(position ?? "") ?? null) : null;
      if (plainer !== null) {
        position = plainer;
        continue;
      }
      if (nextTry(error, {}) === null) throw error;
      lost = error;
    }
    // `patience` counts from the last time that the server sent something.
    if (heard) tries.reset();
    // Reconnect without a pause only if events were received: connections that all fail immediately must not form a
    // tight loop.
    if (moved) continue;
    if (!(await tries.wait({ atLeast: nextTry(lost, {})?.atLeast ?? null, signal }))) throw lost;
  }
}

function isBadCursor(error: unknown): boolean {
  return error instanceof Refused && error.code === "badCursor";
}

/** Parses the data of an event without checking it against the contract. */
export function dataOf(event: SseEvent) {
  try {
    return JSON.parse(event.data);
  } catch (error) {
    throw new BadAnswer(`the data of the event ${event.type} is not JSON`, { cause: error });
  }
}

function outgoing<Item>(stream: Followed<Item>, after: string | undefined): Outgoing {
  const { path, params, query, follow } = stream;
  const asked = follow ? query : { ...query, follow };
  return { method: "GET", path, params, query: { ...asked, after } };
}
