import { allows } from "../../kernel/directories.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";
import { createSearchIndex, startAgain } from "../../log/search-index.ts";
import type { SearchIndexOptions } from "../../log/search-index.ts";
import type { SearchText } from "../../log/search-texts.ts";
import { isUnreadable, textAt } from "../../log/search-texts.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import { directoryLabel, kindLabel, sessionLabel } from "../../store/search/labels.ts";
import type { TextKind } from "../../store/search/labels.ts";
import type { FoundText, TextQuery } from "../../store/search/search.ts";
import { maxQueryTerms, parseQuery } from "../../store/search/terms.ts";
import type { ParsedQuery } from "../../store/search/terms.ts";
import type { Store } from "../../store/store.ts";
import { createMatcher } from "./snippet.ts";
import type { SnippetPart } from "./snippet.ts";

export interface SearchViews {
  /** Searches the texts of sessions, newest first. Texts that were committed before the call are included. */
  search(query: SearchQuery): Promise<SearchPage>;
  /** Indexes new events for at most this number of milliseconds. Returns true if the index is up to date. */
  indexTexts(milliseconds: number): Promise<boolean>;
}

export interface SearchQuery {
  /** Words to search for. A text must contain all of them. */
  readonly words: string;
  readonly sessionId?: string;
  /** Only sessions in or below this directory. */
  readonly directory?: string;
  /** Directories that the caller is limited to; null: no limit. */
  readonly directories: readonly string[] | null;
  readonly kinds?: readonly TextKind[];
  /** True: only archived sessions. False: only sessions that are not archived. */
  readonly archived?: boolean;
  readonly since?: number;
  readonly until?: number;
  /** Cursor of the previous page. */
  readonly after: number | null;
  readonly limit: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly cursor: number | null;
  /** False while older texts are still being indexed. */
  readonly isComplete: boolean;
}

export interface SearchHit extends Omit<SearchText, "text" | "slot"> {
  readonly sessionId: string;
  readonly title: string | null;
  readonly directory: string;
  readonly archived: boolean;
  readonly seq: number;
  readonly at: number;
  readonly snippet: readonly SnippetPart[];
}

/** Maximum milliseconds to wait for the index. After that, a search returns only what is indexed. */
const patience = 1_000;
/** Maximum number of texts to read for one page. The page is short if few of them match exactly. */
const maxRead = 500;
const maxReadAtOnce = 100;
/**
 * Maximum milliseconds for reading a page. After that, the page is returned even if it has no results; the next page
 * continues there.
 */
const maxReading = 50;

export function searchViews(store: Store, options: SearchIndexOptions = {}): SearchViews {
  const index = createSearchIndex(store, options);
  return {
    indexTexts: (milliseconds) => index.catchUp(milliseconds),
    search: async (query) => {
      const parsed = parseQuery(query.words);
      checkTerms(parsed);
      const isComplete = await index.catchUp(patience);
      try {
        return { ...(await readPage(store, query, parsed)), isComplete };
      } catch (error) {
        await startAgain(store, error);
        return { hits: [], cursor: null, isComplete: false };
      }
    },
  };
}

function checkTerms({ terms }: ParsedQuery): void {
  if (terms.length > 0 && terms.length <= maxQueryTerms) return;
  const message =
    terms.length === 0
      ? "the search text has no letter or digit; enter at least one word"
      : `the search text has too many words; use at most ${maxQueryTerms}`;
  throw new CommandRefused({ code: "invalid", field: "q", message });
}

async function readPage(
  store: Store,
  query: SearchQuery,
  parsed: ParsedQuery,
): Promise<Pick<SearchPage, "hits" | "cursor">> {
  // A caller that may use no directory gets no hits. Without this check, the store would get an empty list of
  // directories to search, which matches every text.
  if (query.directories?.length === 0) return { hits: [], cursor: null };
  const sessions = await sessionGroup(store, query);
  if (sessions?.length === 0) return { hits: [], cursor: null };
  const wanted = textQuery(query, parsed, sessions);
  const match = createMatcher(parsed);
  const hits: SearchHit[] = [];
  let { after: before } = query;
  const end = performance.now() + maxReading;
  for (let count = 0; count < maxRead && (count === 0 || performance.now() < end);) {
    // If the first read gave too few hits, most texts probably do not match, so read more at once.
    const limit =
      count === 0 ? Math.max(10, query.limit) : Math.min(maxRead - count, maxReadAtOnce);
    const found = await store.findTexts({ ...wanted, before, limit });
    // Read concurrently, because the store may be remote.
    const read = await Promise.all(found.map((text) => hitOf(store, { query, text, match })));
    for (const [index, text] of found.entries()) {
      before = text.id;
      const hit = read[index] ?? null;
      if (hit !== null) hits.push(hit);
      if (hits.length >= query.limit) return { hits, cursor: before };
    }
    if (found.length < limit) return { hits, cursor: null };
    count += found.length;
  }
  return { hits, cursor: before };
}

/** Maximum number of sessions to search by their labels. */
const maxSessions = 100;

/**
 * Returns the labels of the sessions that the filters `sessionId` or `archived` select, so that a search for few
 * sessions does not read the texts of all others. Null: neither filter is set, or more than `maxSessions` match.
 */
async function sessionGroup(store: Store, query: SearchQuery): Promise<readonly string[] | null> {
  const { sessionId, archived, directories } = query;
  if (sessionId !== undefined) return [sessionLabel(sessionId)];
  if (archived === undefined) return null;
  const limited = directories === null ? {} : { directories };
  const filter = { archived, ...limited, limit: maxSessions, after: null };
  const { sessions, cursor } = await store.listSessions(filter);
  return cursor === null ? sessions.map(({ state }) => sessionLabel(state.sessionId)) : null;
}

function textQuery(
  { directory, directories, kinds, since, until }: SearchQuery,
  { terms }: ParsedQuery,
  sessions: readonly string[] | null,
): Omit<TextQuery, "before" | "limit"> {
  const labels = [
    sessions,
    directory === undefined ? null : [directoryLabel(directory)],
    directories === null ? null : directories.map(directoryLabel),
    kinds === undefined ? null : kinds.map(kindLabel),
  ].filter((group) => group !== null);
  return { terms, labels, since: since ?? null, until: until ?? null };
}

async function hitOf(
  store: Store,
  found: { query: SearchQuery; text: FoundText; match: ReturnType<typeof createMatcher> },
): Promise<SearchHit | null> {
  const { sessionId, seq, slot } = found.text;
  const state = await store.lane(sessionId);
  if (state === null || !isWanted(state, found.query)) return null;
  const [event] = await store.events(sessionId, { after: seq - 1, limit: 1 });
  const text = event === undefined ? null : await readText(store, event, slot);
  const snippet = text === null ? null : found.match(text.text);
  if (event === undefined || text === null || snippet === null) return null;
  if (!(await isCurrent(store, state, event))) return null;
  const { title, directory, archived } = state;
  const { text: _text, slot: _slot, ...rest } = text;
  return { ...rest, sessionId, title, directory, archived, seq, at: event.at, snippet };
}

/** Returns one text of an event; null if its content was removed or was damaged after it was indexed. */
async function readText(store: Store, event: LaneEvent, slot: number): Promise<SearchText | null> {
  try {
    return await textAt(store, event, slot);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return null;
  }
}

/**
 * Compares the query with the session itself. The search index has only hashes of these values, so a hit can be wrong.
 * Also, the session may have been deleted since it was indexed.
 */
function isWanted(state: LaneState, query: SearchQuery): boolean {
  const { sessionId, directory, directories, archived } = query;
  return (
    state.status !== "deleted" &&
    (sessionId === undefined || state.sessionId === sessionId) &&
    (archived === undefined || state.archived === archived) &&
    (directory === undefined || allows([directory], state.directory)) &&
    allows(directories, state.directory)
  );
}

/** False if the text is an earlier title, or the text of a prompt before it was edited. */
async function isCurrent(store: Store, state: LaneState, event: LaneEvent): Promise<boolean> {
  if (event.type === "session.renamed") return event.title === state.title;
  if (event.type !== "prompt.accepted" && event.type !== "prompt.edited") return true;
  const row = await store.prompt(state.sessionId, event.promptId);
  return row === null || row.body === event.body;
}
