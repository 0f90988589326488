import type { Route } from "../route.ts";
import { searchPageSchema, searchQuery } from "../search.ts";

export const searchRoutes = {
  search: {
    method: "GET",
    path: "/v1/search",
    tag: "sessions",
    role: "observe",
    summary: "Search titles, prompts, answers and tool calls, newest first",
    description:
      "Finds every text that was committed before the request. Case and accents are ignored. Identifiers are found whole and by their parts. A page can be short or empty and still have a `cursor`.",
    query: searchQuery,
    answers: {
      200: { kind: "json", schema: searchPageSchema, description: "a page of found texts" },
    },
    errors: ["badCursor"],
  },
} as const satisfies Record<string, Route>;
