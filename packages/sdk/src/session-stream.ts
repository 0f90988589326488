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
import type { Reset, WireEvent } from "./types.gen.ts";

export interface SessionEventsOptions extends CallOptions {
  /** The seq that was seen last, or `now` for what comes from now on; everything if left out. */
  readonly after?: number | "now" | undefined;
  /** False: only what is in the log. */
  readonly deltas?: boolean | undefined;
  /** False: it ends once everything that was there has come. */
  readonly follow?: boolean | undefined;
}

/** What a session's stream gives out. Every event comes once, in order; the others may repeat. */
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
    after: after === undefined ? undefined : String(after),
    follow,
    read: readSessionEvent,
  };
  return followStream<SessionItem>(transport, stream, options);
}

function readSessionEvent(event: SseEvent, position: string | undefined): Reading<SessionItem> {
  const passing = passingItem(event);
  if (passing !== null) return { item: passing, position: null };
  if (event.type === "live") {
    const { seq }: LiveItem = dataOf(event);
    return { item: { type: "live", seq }, position: position === "now" ? String(seq) : null };
  }
  if (event.type === "reset") {
    const { cursor }: Reset = dataOf(event);
    return { item: { type: "reset", seq: Number(cursor) }, position: cursor };
  }
  if (event.id === null) return { item: null, position: null };
  const item: WireEvent = dataOf(event);
  if (position === "now") return { item, position: String(item.seq) };
  const last = Number(position ?? "0");
  if (item.seq <= last) return { item: null, position: null };
  if (item.seq > last + 1) {
    throw new Unreachable(`events ${last + 1} to ${item.seq - 1} did not arrive`);
  }
  return { item, position: String(item.seq) };
}
