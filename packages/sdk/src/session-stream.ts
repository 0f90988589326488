import { Unreachable } from "./errors.ts";
import { dataOf, followStream } from "./follow.ts";
import type { Reading } from "./follow.ts";
import type { SseEvent } from "./sse.ts";
import type { CallOptions, Transport } from "./transport.ts";
import { passingItem } from "./stream-item.ts";
import type {
  DeltaItem,
  DrainingItem,
  LiveItem,
  SessionResetItem,
  SnapshotItem,
} from "./stream-item.ts";
import type { Live, Reset, WireEvent } from "./types.gen.ts";

/** Options of `session.events`. */
export interface SessionEventsOptions extends CallOptions {
  /**
   * Start after this event or sequence number, or with new events (`"now"`). Default: the first event.
   * If you pass the event, the stream sends `reset` when a restored backup does not contain it.
   */
  readonly after?: number | "now" | SeenEvent | undefined;
  /** False: events only, no deltas. Default: true. */
  readonly deltas?: boolean | undefined;
  /** False: end after the last event that exists now. Default: true. */
  readonly follow?: boolean | undefined;
}

export type SeenEvent = Pick<WireEvent, "seq" | "at">;

/** An item of a session's stream. Each event arrives once and in order; other items may repeat. */
export type SessionItem =
  | WireEvent
  | DeltaItem
  | SnapshotItem
  | LiveItem
  | SessionResetItem
  | DrainingItem;

export function sessionStream(
  transport: Transport,
  sessionId: string,
  options: SessionEventsOptions,
): AsyncGenerator<SessionItem> {
  const { after, deltas = true, follow = true } = options;
  const stream = {
    path: "/v1/sessions/{sessionId}/events",
    params: { sessionId },
    query: deltas ? {} : { deltas },
    after: typeof after === "object" ? `${after.seq}-${after.at}` : after?.toString(),
    follow,
    read: readSessionEvent,
    plainer: (position: string) => (position.includes("-") ? String(seqOf(position)) : null),
  };
  return followStream<SessionItem>(transport, stream, options);
}

function readSessionEvent(event: SseEvent, position: string | undefined): Reading<SessionItem> {
  const passing = passingItem(event);
  if (passing !== null) return { item: passing, position: null };
  if (event.type === "live") {
    const { seq, cursor }: Live = dataOf(event);
    const isHere = position === "now" || seqOf(position) === seq;
    return { item: { type: "live", seq: seq ?? 0 }, position: isHere ? cursor : null };
  }
  if (event.type === "reset") {
    const { cursor }: Reset = dataOf(event);
    return { item: { type: "reset", seq: seqOf(cursor) }, position: cursor };
  }
  if (event.id === null) return { item: null, position: null };
  const item: WireEvent = dataOf(event);
  if (position === "now") return { item, position: event.id };
  const last = seqOf(position);
  if (item.seq <= last) return { item: null, position: null };
  if (item.seq > last + 1) {
    throw new Unreachable(`events ${last + 1} to ${item.seq - 1} did not arrive`);
  }
  return { item, position: event.id };
}

function seqOf(position = "0"): number {
  return Number.parseInt(position, 10);
}
