import { createSignal } from "solid-js";
import { parseRoute, pathOf } from "../model/route.ts";
import type { Route } from "../model/route.ts";

const [route, setRoute] = createSignal<Route>(parseRoute(location.pathname), {
  equals: (before, after) => pathOf(before) === pathOf(after),
});
export const currentRoute = route;

addEventListener("popstate", () => setRoute(parseRoute(location.pathname)));

export function go(to: Route, options: { replace?: boolean } = {}): void {
  const path = pathOf(to);
  if (path !== location.pathname + location.search) {
    if (options.replace === true) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
  }
  setRoute(to);
}
