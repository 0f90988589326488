import { setImmediate as nextRound } from "node:timers/promises";
import { createMutex } from "../base/serial.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { directoryLabels, kindLabel, sessionLabel } from "../store/search/labels.ts";
import type { NewText } from "../store/search/search.ts";
import { indexTerms } from "../store/search/terms.ts";
import { StoreError } from "../store/store-error.ts";
import type { FeedPage, Store } from "../store/store.ts";
import type { SearchText } from "./search-texts.ts";
import { textsOf } from "./search-texts.ts";

/**
 * Adds new events to the search index by reading the feed, so that commits need not write to the index. Before each
 * search, the index is brought up to date.
 */
export interface SearchIndex {
  /**
   * Indexes new events for at most this number of milliseconds. Returns true if the index is complete up to the
   * last event that was committed before the call. A damaged index is emptied and built again.
   */
  catchUp(milliseconds: number): Promise<boolean>;
}

const eventsAtOnce = 200;
/** Number of events whose texts are read in parallel; limits memory use. */
const readAtOnce = 16;
/** Number of characters to index before yielding to the event loop. */
const textAtOnce = 50_000;

export function createSearchIndex(store: Store): SearchIndex {
  const oneAtATime = createMutex();
  const step = async (): Promise<boolean> => {
    const after = await store.searchMark();
    const page = await store.feed({ after, limit: eventsAtOnce });
    if (page.status === "reset") {
      // The database was restored from a backup, so the index no longer matches the log. Build the index again.
      await store.clearSearch();
      return false;
    }
    if (page.events.length === 0) return !page.more;
    const texts = await textsOfPage(store, page.events);
    const removed = page.events.flatMap(({ type, sessionId }) =>
      type === "session.deleted" ? [sessionId] : [],
    );
    // False: another node has already indexed these events.
    const isWritten = await store.writeSearch({ after, mark: page.cursor, texts, removed });
    return isWritten && !page.more;
  };
  const catchUp = async (milliseconds: number): Promise<boolean> => {
    const end = performance.now() + milliseconds;
    do {
      try {
        if (await step()) return true;
      } catch (error) {
        // A read-only process cannot update the index and searches it as it is.
        if (error instanceof StoreError && error.code === "storeReadOnly") return false;
        await startAgain(store, error);
      }
      await nextRound();
    } while (performance.now() < end);
    return false;
  };
  return { catchUp: (milliseconds) => oneAtATime(() => catchUp(milliseconds)) };
}

/** Empties the index if the error says that it is damaged; throws every other error. */
export async function startAgain(store: Store, error: unknown): Promise<false> {
  if (!(error instanceof StoreError) || error.code !== "storeCorrupt") throw error;
  await store.clearSearch();
  return false;
}

async function textsOfPage(
  store: Store,
  events: (FeedPage & { status: "events" })["events"],
): Promise<NewText[]> {
  const found: NewText[] = [];
  const labels = new Map<string, Promise<readonly string[] | null>>();
  for (let first = 0; first < events.length; first += readAtOnce) {
    // Read in parallel, because a store may be remote.
    const read = await Promise.all(
      events
        .slice(first, first + readAtOnce)
        .map((event) => textsOfEvent(store, { event, labels })),
    );
    found.push(...read.flat());
    await nextRound();
  }
  return found;
}

async function textsOfEvent(
  store: Store,
  { event, labels }: { event: LaneEvent; labels: Map<string, Promise<readonly string[] | null>> },
): Promise<readonly NewText[]> {
  const { sessionId, seq, at } = event;
  const found: NewText[] = [];
  let length = 0;
  for await (const { slot, kind, text } of readable(textsOf(store, event))) {
    const known = labels.get(sessionId) ?? sessionLabels(store, sessionId);
    labels.set(sessionId, known);
    const shared = await known;
    if (shared === null) break;
    const terms = [...shared, kindLabel(kind), ...indexTerms(text)];
    found.push({ sessionId, seq, slot, at, terms });
    length += text.length;
    if (length < textAtOnce) continue;
    length = 0;
    await nextRound();
  }
  return found;
}

/** Skips content that cannot be parsed, so that later events are still indexed. The doctor command reports it. */
async function* readable(texts: AsyncGenerator<SearchText>): AsyncGenerator<SearchText> {
  try {
    yield* texts;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/**
 * Returns labels for the search index: the session's id, its directory and all parents of the directory. All texts of
 * the session get these labels. Null if the session was deleted.
 */
async function sessionLabels(store: Store, sessionId: string): Promise<readonly string[] | null> {
  const state = await store.lane(sessionId);
  if (state === null || state.status === "deleted") return null;
  return [sessionLabel(sessionId), ...directoryLabels(state.directory)];
}
