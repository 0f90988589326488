import { createTries } from "./backoff.ts";
import { BadAnswer, Refused, throwIfAborted, Unreachable } from "./errors.ts";
import { readEvents } from "./event-source.ts";
import type { SseEvent } from "./sse.ts";
import { nextTry } from "./transport.ts";
import type { CallOptions, Outgoing, Transport } from "./transport.ts";

/** A stream that can be taken up again where it was cut. */
export interface Followed<Item> {
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Where it begins: behind this position. Undefined: with the first event. */
  readonly after: string | undefined;
  /** False: it ends once everything that was there has come. */
  readonly follow: boolean;
  /** Takes one event in; what it is not to be given out, or breaks the order, `read` finds out. */
  readonly read: (event: SseEvent, position: string | undefined) => Reading<Item>;
  /** The position for servers that do not know how it is written; null when there is no other way. */
  readonly plainer?: (position: string) => string | null;
}

export interface Reading<Item> {
  readonly item: Item | null;
  /** Where to go on after a cut; null where it has not moved. */
  readonly position: string | null;
}

/** Every event once and in order, over as many connections as it takes (T2). */
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
    // Patience is for silence: it begins when the server is heard no more.
    if (heard) tries.reset();
    // A cut after progress says nothing against the server; one without it could repeat for ever.
    if (moved) continue;
    if (!(await tries.wait({ atLeast: nextTry(lost, {})?.atLeast ?? null, signal }))) throw lost;
  }
}

function isBadCursor(error: unknown): boolean {
  return error instanceof Refused && error.code === "badCursor";
}

/** The data of an event, believed to be what the contract says of its type. */
export function dataOf(event: SseEvent) {
  try {
    return JSON.parse(event.data);
  } catch (error) {
    throw new BadAnswer(`the data of ${event.type} is not JSON`, { cause: error });
  }
}

function outgoing<Item>(stream: Followed<Item>, after: string | undefined): Outgoing {
  const { path, params, query, follow } = stream;
  const asked = follow ? query : { ...query, follow };
  return { method: "GET", path, params, query: { ...asked, after } };
}
