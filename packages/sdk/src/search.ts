import { call } from "./call.ts";
import { eachItem } from "./pages.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Routes, SearchHit, SearchPage } from "./types.gen.ts";

export type SearchQuery = Routes["GET /v1/search"]["query"];

/**
 * Searches titles, prompts, answers and tool calls of all sessions. Returns a page, newest text first.
 *
 * @example
 * const { items } = await holdfast.search({ q: "retry readFile" });
 * for (const { sessionId, snippet } of items) {
 *   console.log(sessionId, snippet.map(({ text }) => text).join(""));
 * }
 */
export interface Search {
  (query: SearchQuery & CallOptions): Promise<SearchPage>;
  /** Yields all found texts, newest first. */
  all(query: SearchQuery & CallOptions): AsyncGenerator<SearchHit>;
}

export function searchOf(transport: Transport): Search {
  const search = ({ signal, patience, ...query }: SearchQuery & CallOptions): Promise<SearchPage> =>
    call(transport, "GET /v1/search", { query, signal, patience });
  return Object.assign(search, {
    all: (query: SearchQuery & CallOptions) =>
      eachItem(query.after, (after) => search({ ...query, after })),
  });
}
