import type { z } from "zod";
import type { ParameterName, ParameterNames, Route, parameterSchemas } from "./route.ts";
import { eventRoutes } from "./routes/events.ts";
import { laneRoutes } from "./routes/lane.ts";
import { notificationRoutes } from "./routes/notifications.ts";
import { promptRoutes } from "./routes/prompts.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { searchRoutes } from "./routes/search.ts";
import { serverRoutes } from "./routes/server.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { workspaceRoutes } from "./routes/workspaces.ts";

/** All routes, by the name that the SDK and the documentation use. */
export const routes = {
  ...sessionRoutes,
  ...searchRoutes,
  ...promptRoutes,
  ...laneRoutes,
  ...eventRoutes,
  ...ruleRoutes,
  ...workspaceRoutes,
  ...notificationRoutes,
  ...serverRoutes,
};

export type Routes = typeof routes;
export type RouteName = keyof Routes;

/** Returns all routes with their names. */
export function routeEntries(): [RouteName, Route][] {
  const table: Record<string, Route> = routes;
  return Object.entries(table).flatMap(([name, route]) =>
    isRouteName(name) ? [[name, route] satisfies [RouteName, Route]] : [],
  );
}

/** Validated input of a route's handler. */
export interface RouteInput<R extends Route> {
  readonly params: {
    readonly [Name in ParameterNames<R["path"]> & ParameterName]: z.output<
      (typeof parameterSchemas)[Name]
    >;
  };
  readonly query: R["query"] extends z.ZodRawShape ? z.output<z.ZodObject<R["query"]>> : unknown;
  readonly body: R["body"] extends { kind: "json"; schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : R["body"] extends { kind: "bytes" }
      ? Uint8Array
      : R["body"] extends { kind: "document" }
        ? AsyncIterable<Uint8Array>
        : null;
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(routes, name);
}
