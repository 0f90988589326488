import type { SearchHit, TextKind } from "@holdfast/sdk";
import { createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { serverNow } from "./server-clock.ts";
import { errorText } from "./show-error.ts";

/** The search text and the filters of a search. */
export interface TextFilter {
  readonly words: string;
  readonly kind: FilterKind;
  readonly time: FilterTime;
  /** Null: all directories. */
  readonly directory: string | null;
  readonly archived: FilterArchived;
}

export const filterKinds = ["all", "title", "prompt", "answer", "tool"] as const;
export type FilterKind = (typeof filterKinds)[number];
export const filterTimes = ["any", "day", "week", "month"] as const;
export type FilterTime = (typeof filterTimes)[number];
export const filterArchived = ["all", "without", "only"] as const;
export type FilterArchived = (typeof filterArchived)[number];

export interface TextSearch {
  readonly hits: Accessor<readonly SearchHit[]>;
  readonly status: Accessor<"idle" | "searching" | "done">;
  /** Text that explains why there are no results; null if there is no problem. */
  readonly problem: Accessor<string | null>;
  readonly hasMore: Accessor<boolean>;
  /** False while the server is still indexing texts. */
  readonly isComplete: Accessor<boolean>;
  /** Searches after a pause in typing. */
  search(filter: TextFilter): void;
  more(): void;
}

const pageSize = 20;
/**
 * Maximum number of requests for one page of results. The server can return empty pages with a cursor, for example for
 * quoted words that rarely occur together.
 */
const maxRequests = 5;
/** Length of the longest search text that the server accepts. */
const maxWords = 1_000;
const typingPause = 150;
const day = 86_400_000;
const ages: Readonly<Record<FilterTime, number | null>> = {
  any: null,
  day,
  week: 7 * day,
  month: 30 * day,
};

/** A search that stops when the calling component is removed. Only the latest search shows results. */
export function createTextSearch(): TextSearch {
  const [hits, setHits] = createSignal<readonly SearchHit[]>([]);
  const [status, setStatus] = createSignal<"idle" | "searching" | "done">("idle");
  const [problem, setProblem] = createSignal<string | null>(null);
  const [cursor, setCursor] = createSignal<string | null>(null);
  const [isComplete, setComplete] = createSignal(true);
  let current = new AbortController();
  let query: ReturnType<typeof queryOf> | null = null;
  let timer = 0;

  const load = async (after: string | null): Promise<void> => {
    if (query === null) return;
    const { signal } = current;
    setStatus("searching");
    try {
      let next = after;
      let found: readonly SearchHit[] = after === null ? [] : hits();
      const enough = found.length + pageSize;
      for (let requests = 0; requests < maxRequests; requests += 1) {
        const page = await holdfast.search({
          ...query,
          limit: enough - found.length,
          signal,
          ...(next !== null && { after: next }),
        });
        if (signal.aborted) return;
        found = [...found, ...page.items];
        next = page.cursor;
        setHits(found);
        setCursor(next);
        setComplete(page.isComplete);
        if (next === null || found.length >= enough) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      setHits([]);
      setCursor(null);
      setProblem(problemOf(error));
    }
    setStatus("done");
  };
  const stop = (): void => {
    clearTimeout(timer);
    current.abort();
  };
  onCleanup(stop);
  return {
    hits,
    status,
    problem,
    hasMore: () => cursor() !== null,
    isComplete,
    search(filter) {
      stop();
      current = new AbortController();
      setProblem(refusalOf(filter.words));
      setComplete(true);
      if (filter.words.trim() === "" || problem() !== null) {
        setHits([]);
        setCursor(null);
        setStatus("idle");
        return;
      }
      setStatus("searching");
      query = queryOf(filter);
      timer = window.setTimeout(() => void load(null), typingPause);
    },
    more: () => {
      if (status() === "done" && cursor() !== null) void load(cursor());
    },
  };
}

function queryOf({ words, kind, time, directory, archived }: TextFilter) {
  const age = ages[time];
  return {
    q: words,
    ...(kind !== "all" && { kind: kindsOf(kind) }),
    ...(age !== null && { since: serverNow() - age }),
    ...(directory !== null && { directory }),
    ...(archived !== "all" && { archived: archived === "only" }),
  };
}

function kindsOf(kind: Exclude<FilterKind, "all">): TextKind[] {
  return kind === "tool" ? ["toolCall", "toolResult"] : [kind];
}

function refusalOf(words: string): string | null {
  if (words.trim() === "") return null;
  if (words.length > maxWords) return t().search.tooLong({ most: maxWords });
  return /[\p{L}\p{N}]/u.test(words) ? null : t().search.noWord;
}

function problemOf(error: unknown): string {
  return t().search.failed({ message: errorText(error) });
}
