import { setImmediate as nextRound } from "node:timers/promises";
import { createMutex } from "../base/serial.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { directoryLabels, kindLabel, sessionLabel } from "../store/search/labels.ts";
import type { NewText } from "../store/search/search.ts";
import { indexTerms } from "../store/search/terms.ts";
import type { Store } from "../store/store.ts";
import { formatSearchMark, parseSearchMark } from "./search-mark.ts";
import { isUnreadable } from "./bodies.ts";
import { textsOf } from "./search-texts.ts";

const eventsAtOnce = 200;
/** Number of events whose texts are read in parallel; limits memory use. */
const readAtOnce = 16;
/** Number of characters to index before yielding to the event loop. */
const textAtOnce = 50_000;
/**
 * Maximum number of terms to write in one transaction, unless one text has more. SQLite writes synchronously: this
 * number takes about 25 ms, and no prompt can be accepted during this time.
 */
const termsAtOnce = 5_000;

export interface StepOptions {
  /** False: no caller waits any more, so the step ends after its next write. */
  readonly isWanted: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Returns a function that indexes the next page of the feed. Its result is true if the page was the last one. */
export function createIndexStep(store: Store, options: StepOptions): () => Promise<boolean> {
  const { isWanted } = options;
  const report = reportOnce(options.onError);
  return async () => {
    const mark = await store.searchMark();
    const { cursor, part } = parseSearchMark(mark);
    const page = await store.feed({ after: cursor, limit: eventsAtOnce });
    if (page.status === "reset") {
      // The database was restored from a backup, so the index no longer matches the log. Build the index again.
      await store.clearSearch();
      return false;
    }
    const { events, cursors } = page;
    if (events.length === 0) return !page.more;
    const batch = startBatch(store, mark);
    const labels: Reading["labels"] = new Map();
    const reading = { store, part, report, labels, pace: createPace(textAtOnce) };
    for (let first = 0; first < events.length; first += readAtOnce) {
      const group = events.slice(first, first + readAtOnce);
      // Read in parallel, because a store may be remote.
      const read = await Promise.all(group.map((event) => textsOfEvent(reading, event)));
      for (const [place, event] of group.entries()) {
        const before = cursors[first + place - 1] ?? cursor;
        if (event.type === "session.deleted") batch.remove(event.sessionId);
        for (const text of read[place] ?? []) {
          // False: another node has already indexed these events.
          if (batch.isFull(text) && (!(await batch.write()) || !isWanted())) return false;
          batch.add(text, formatSearchMark(before, text));
        }
        batch.moveTo(cursors[first + place] ?? page.cursor);
      }
      if (!isWanted()) {
        await batch.write();
        return false;
      }
      await nextRound();
    }
    batch.moveTo(page.cursor);
    return (await batch.write()) && !page.more;
  };
}

interface Batch {
  isFull(next: NewText): boolean;
  /** Adds a text. The mark is the position after this text. */
  add(text: NewText, mark: string): void;
  remove(sessionId: string): void;
  moveTo(mark: string): void;
  /** Writes everything that was added since the last write. False: another process has changed the index. */
  write(): Promise<boolean>;
}

function startBatch(store: Store, start: string | null): Batch {
  let after = start;
  let mark = start;
  let texts: NewText[] = [];
  let removed: string[] = [];
  let terms = 0;
  return {
    isFull: (next) => texts.length > 0 && terms + next.terms.length > termsAtOnce,
    add: (text, position) => {
      texts.push(text);
      terms += text.terms.length;
      mark = position;
    },
    remove: (sessionId) => void removed.push(sessionId),
    moveTo: (position) => {
      mark = position;
    },
    write: async () => {
      if (mark === null || mark === after) return true;
      const isWritten = await store.writeSearch({ after, mark, texts, removed });
      after = mark;
      texts = [];
      removed = [];
      terms = 0;
      await nextRound();
      return isWritten;
    },
  };
}

interface Reading {
  readonly store: Store;
  readonly part: ReturnType<typeof parseSearchMark>["part"];
  readonly labels: Map<string, Promise<readonly string[] | null>>;
  readonly pace: (length: number) => Promise<void>;
  readonly report: (event: LaneEvent, error: unknown) => void;
}

async function textsOfEvent(reading: Reading, event: LaneEvent): Promise<readonly NewText[]> {
  const { sessionId, seq, at } = event;
  const { part } = reading;
  const isPart = part !== null && part.sessionId === sessionId && part.seq === seq;
  const found: NewText[] = [];
  try {
    for await (const { slot, kind, text } of textsOf(
      reading.store,
      event,
      isPart ? part.slot : -1,
    )) {
      const shared = await labelsOf(reading, sessionId);
      if (shared === null) break;
      await reading.pace(text.length);
      const terms = [...shared, kindLabel(kind), ...indexTerms(text)];
      found.push({ sessionId, seq, slot, at, terms });
    }
  } catch (error) {
    // Skip texts that cannot be read, so that later events are still indexed. The doctor command reports them too.
    if (!isUnreadable(error)) throw error;
    reading.report(event, error);
  }
  return found;
}

function labelsOf(
  { store, labels }: Reading,
  sessionId: string,
): Promise<readonly string[] | null> {
  const known = labels.get(sessionId) ?? sessionLabels(store, sessionId);
  labels.set(sessionId, known);
  return known;
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

/**
 * Returns a function that waits for the next round of the event loop if callers have already announced this much work
 * in the current one. All parallel callers share the limit.
 */
function createPace(limit: number): (amount: number) => Promise<void> {
  const oneAtATime = createMutex();
  let done = 0;
  return (amount) =>
    oneAtATime(async () => {
      if (done >= limit) {
        await nextRound();
        done = 0;
      }
      done += amount;
    });
}

const maxReported = 1_000;

function reportOnce(onError: (error: unknown) => void): Reading["report"] {
  const reported = new Set<string>();
  return ({ sessionId, seq }, cause) => {
    const key = `${seq} ${sessionId}`;
    if (reported.has(key) || reported.size >= maxReported) return;
    reported.add(key);
    const message = `the search leaves out event ${seq} of session ${sessionId}, because its text cannot be read; run: holdfast doctor`;
    onError(new Error(message, { cause }));
  };
}
