import type { EventOf, LaneEvent } from "../kernel/event.ts";
import { isOf } from "../kernel/event-table.ts";
import type { LedgerRow } from "../kernel/ledger.ts";
import type { StoreReader } from "../store/store.ts";
import { follow, waitForRow } from "./follow.ts";
import type { Hints } from "./follow.ts";
import type { LaneHub } from "./lane-hub.ts";

/** Number of events on the first page. Small, because some readers need only a few events. */
const firstPage = 32;
const largestPage = 512;

/** Yields a session's events after a position, all of them or only some types, reading page by page. */
export async function* logOf<Type extends LaneEvent["type"] = LaneEvent["type"]>(
  store: StoreReader,
  sessionId: string,
  part: { readonly after?: number; readonly types?: readonly Type[] } = {},
): AsyncGenerator<EventOf<Type>> {
  const { types } = part;
  const filter = types === undefined ? {} : { types };
  let after = part.after ?? 0;
  for (let limit = firstPage; ; limit = Math.min(largestPage, 4 * limit)) {
    const events = await store.events(sessionId, { after, limit, ...filter });
    for (const event of events) if (isWanted(event, types)) yield event;
    const end = events.at(-1);
    if (end === undefined || events.length < limit) return;
    after = end.seq;
  }
}

function isWanted<Type extends LaneEvent["type"]>(
  event: LaneEvent,
  types: readonly Type[] | undefined,
): event is EventOf<Type> {
  return types === undefined || isOf(event, types);
}

const pageSize = 500;

/** Yields a session's events after a sequence number, each once and in order, then new ones, until aborted (T2). */
export async function* followEvents(
  sources: { store: StoreReader; lanes: LaneHub },
  target: { sessionId: string; after: number; signal?: AbortSignal },
): AsyncGenerator<LaneEvent> {
  const { sessionId, after, signal } = target;
  const read = async (last: number, limit: number) => {
    const events = await sources.store.events(sessionId, { after: last, limit });
    return { events, after: events.at(-1)?.seq ?? last, more: events.length === limit };
  };
  const source = { read, hints: sessionHints(sources.lanes, sessionId) };
  for await (const page of follow(source, { after, limit: pageSize, signal })) {
    for (const event of page.events) {
      if (signal?.aborted === true) return;
      yield event;
    }
  }
}

export function sessionHints(lanes: LaneHub, sessionId: string): Hints {
  return (ring) => lanes.listen(sessionId, ring);
}

/**
 * Waits until a prompt has an outcome and returns its ledger row. If the signal aborts, returns the current row; null
 * for an unknown prompt. Finds the outcome no matter when it was recorded (P4).
 */
export function waitForPrompt(
  sources: { store: StoreReader; lanes: LaneHub },
  target: { sessionId: string; promptId: string; signal?: AbortSignal | undefined },
): Promise<LedgerRow | null> {
  const { sessionId, promptId, signal } = target;
  return waitForRow(sessionHints(sources.lanes, sessionId), {
    read: () => sources.store.prompt(sessionId, promptId),
    isOver: ({ status }) => status === "settled",
    signal,
  });
}
