import type { searchRoutes } from "../../contract/routes/search.ts";
import { defaultHits } from "../../contract/search.ts";
import type { Handlers } from "../handler.ts";
import { given, namedDirectory, numberCursor } from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

export function searchHandlers(services: RouteServices): Handlers<keyof typeof searchRoutes> {
  return {
    search: async ({ query, principal }) => {
      const {
        q: words,
        session: sessionId,
        directory,
        kind: kinds,
        archived,
        since,
        until,
      } = query;
      const { hits, cursor, isComplete } = await services.runtime.search({
        words,
        ...given({ sessionId, kinds, archived, since, until }),
        ...given({
          directory: directory && (await namedDirectory(services, principal, directory)),
        }),
        directories: principal.directories,
        after: numberCursor(query.after),
        limit: query.limit ?? defaultHits,
      });
      const items = hits.map((hit) => ({ ...hit, snippet: [...hit.snippet] }));
      return {
        status: 200,
        body: { items, cursor: cursor === null ? null : `${cursor}`, isComplete },
      };
    },
  };
}
