import type { SearchHit, TextKind } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import type { PickerItem } from "../panels/picker.ts";
import { ago } from "../transcript/time-text.ts";
import { openMessage } from "./message-view.ts";

/** Milliseconds without typing before a search starts. */
const typingPause = 150;
const shown = 50;

const texts = {
  idle: 'Type words that a message must contain. Words in "quotes" must follow each other',
  searching: "Searching…",
  none: "No message contains these words",
};

/** Searches the messages of all sessions while the user types. Enter opens the session at the message. */
export function searchTexts(client: Client, words: string): void {
  let search = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const picker = client.pick<SearchHit>({
    title: "Search all sessions:",
    empty: texts.idle,
    items: [],
    search: words,
    hint: "Enter opens the message · type to search · Esc closes",
    onType: (typed) => start(typed),
    onChoose: (hit) => void openMessage(client, hit),
  });
  const show = (items: readonly SearchHit[], empty: string): void => {
    picker.setItems(
      items.map((hit) => itemOf(hit, Date.now())),
      empty,
    );
    client.changed();
  };
  const start = (typed: string): void => {
    search.abort();
    search = new AbortController();
    clearTimeout(timer);
    if (typed.trim() === "") return show([], texts.idle);
    show([], texts.searching);
    const { signal } = search;
    timer = setTimeout(() => void run(typed, signal), typingPause);
  };
  const run = async (typed: string, signal: AbortSignal): Promise<void> => {
    const { holdfast } = client;
    await client.wake();
    if (holdfast === null) return show([], "There is no connection to the server yet");
    try {
      const found: SearchHit[] = [];
      // A page can be empty and still have a cursor.
      for (let after: string | undefined; ;) {
        const limit = shown - found.length;
        const page = await holdfast.search({ q: typed, limit, after, signal });
        if (signal.aborted) return;
        found.push(...page.items);
        after = page.cursor ?? undefined;
        const isLast = after === undefined || found.length >= shown;
        if (isLast || page.items.length > 0) show(found, emptyText(page.isComplete));
        if (isLast) return;
      }
    } catch (error) {
      if (!signal.aborted) show([], error instanceof Error ? error.message : String(error));
    }
  };
  if (words !== "") start(words);
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

function itemOf(hit: SearchHit, now: number): PickerItem<SearchHit> {
  const title = (hit.title ?? "").slice(0, 30);
  return {
    value: hit,
    label: hit.snippet.map(({ text }) => text).join(""),
    detail: [kindNames[hit.kind], title, ago(now - hit.at)]
      .filter((part) => part !== "")
      .join(" · "),
  };
}
