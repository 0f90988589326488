import type { SearchHit, SearchQuery, TextKind } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import type { PickerItem } from "../panels/picker.ts";
import { ago } from "../transcript/time-text.ts";
import { openMessage } from "./message-view.ts";
import { filterNames, parseSearch } from "./search-filter.ts";

/** Milliseconds without typing before a search starts. */
const typingPause = 150;
const shown = 50;
/**
 * Maximum number of requests for one list. The server can return empty pages with a cursor, for example for quoted
 * words that rarely occur together.
 */
const maxRequests = 5;

const texts = {
  idle: 'Type words that a message must contain. Words in "quotes" must follow each other',
  searching: "Searching…",
  none: "No message contains these words",
  older: "Search older messages",
};

/** A row of the list: a message, or the cursor at which the search continues. */
type Row = SearchHit | { readonly after: string };

/**
 * Searches the messages of all sessions while the user types. Enter opens the session at the message.
 *
 * @param from Cursor at which to continue a search for the same words.
 */
export function searchTexts(client: Client, words: string, from?: string): void {
  let current = words;
  let search = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const picker = client.pick<Row>({
    title: "Search all sessions:",
    empty: texts.idle,
    items: [],
    search: words,
    hint: `Enter opens the message · Esc closes · Filters: ${filterNames}`,
    onType: (typed) => start(typed),
    onChoose: (row) =>
      "after" in row ? searchTexts(client, current, row.after) : void openMessage(client, row),
  });
  const show = (hits: readonly SearchHit[], empty: string, after?: string): void => {
    const items = hits.map((hit) => itemOf(hit, client.clock.now()));
    picker.setItems(after === undefined ? items : [...items, olderItem(after)], empty);
    client.changed();
  };
  const start = (typed: string, after?: string): void => {
    current = typed;
    search.abort();
    search = new AbortController();
    clearTimeout(timer);
    const parsed = parseSearch(typed, client.directory);
    if (parsed.status === "empty") return show([], texts.idle);
    if (parsed.status === "invalid") return show([], parsed.message);
    show([], texts.searching);
    const query = { ...parsed.query, after, signal: search.signal };
    timer = setTimeout(() => void run(query), typingPause);
  };
  const run = async (query: SearchQuery & { readonly signal: AbortSignal }): Promise<void> => {
    const { signal } = query;
    const { holdfast } = client;
    await client.wake();
    if (holdfast === null) return show([], "There is no connection to the server yet");
    try {
      const found: SearchHit[] = [];
      let { after } = query;
      for (let requests = 1; requests <= maxRequests; requests += 1) {
        const page = await holdfast.search({ ...query, limit: shown - found.length, after });
        if (signal.aborted) return;
        found.push(...page.items);
        after = page.cursor ?? undefined;
        const isLast = after === undefined || found.length >= shown || requests === maxRequests;
        if (isLast) return show(found, emptyText(page.isComplete), after);
        if (page.items.length > 0) show(found, texts.searching);
      }
    } catch (error) {
      if (!signal.aborted) show([], error instanceof Error ? error.message : String(error));
    }
  };
  if (words !== "") start(words, from);
}

function emptyText(isComplete: boolean): string {
  return isComplete ? texts.none : `${texts.none}; the server is still indexing`;
}

const kindNames: Readonly<Record<TextKind, string>> = {
  title: "title",
  prompt: "prompt",
  answer: "answer",
  toolCall: "tool call",
  toolResult: "tool result",
};

function olderItem(after: string): PickerItem<Row> {
  return { value: { after }, label: texts.older, detail: "" };
}

function itemOf(hit: SearchHit, now: number): PickerItem<Row> {
  const title = (hit.title ?? "").slice(0, 30);
  return {
    value: hit,
    label: hit.snippet.map(({ text }) => text).join(""),
    parts: hit.snippet,
    detail: [kindNames[hit.kind], title, ago(now - hit.at)]
      .filter((part) => part !== "")
      .join(" · "),
  };
}
