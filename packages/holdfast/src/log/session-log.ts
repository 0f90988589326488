import type { EventOf, LaneEvent } from "../kernel/event.ts";
import { isOf } from "../kernel/event-table.ts";
import type { StoreReader } from "../store/store.ts";

/** Who stops early has not read much. */
const firstPage = 32;
const largestPage = 512;

/** A session's whole log, read by pages; or its events of some types, behind a place in it. */
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
