/** The view that the page shows, as named by its address. */
export type Route =
  | { readonly page: "home" }
  | { readonly page: "session"; readonly sessionId: string }
  | { readonly page: "sessionTimeline"; readonly sessionId: string }
  | { readonly page: "changes"; readonly sessionId: string; readonly runId: string | null }
  | { readonly page: "timeline" }
  | { readonly page: "health" }
  | { readonly page: "settings"; readonly section: SettingsSection };

export const settingsSections = [
  "look",
  "notifications",
  "access",
  "providers",
  "mcp",
  "rules",
  "config",
  "webhooks",
  "maintenance",
] as const;
export type SettingsSection = (typeof settingsSections)[number];

export function parseRoute(path: string): Route {
  const segments = path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  const [first, second, third, fourth] = segments;
  if (first === "sessions" && second !== undefined) {
    if (third === "changes") return { page: "changes", sessionId: second, runId: fourth ?? null };
    const page = third === "timeline" ? "sessionTimeline" : "session";
    return { page, sessionId: second };
  }
  if (first === "timeline" || first === "health") return { page: first };
  if (first === "settings") {
    const section = settingsSections.find((name) => name === second) ?? "look";
    return { page: "settings", section };
  }
  return { page: "home" };
}

export function pathOf(route: Route): string {
  switch (route.page) {
    case "home":
      return "/";
    case "session":
      return `/sessions/${encodeURIComponent(route.sessionId)}`;
    case "sessionTimeline":
      return `/sessions/${encodeURIComponent(route.sessionId)}/timeline`;
    case "changes": {
      const run = route.runId === null ? "" : `/${encodeURIComponent(route.runId)}`;
      return `/sessions/${encodeURIComponent(route.sessionId)}/changes${run}`;
    }
    case "timeline":
    case "health":
      return `/${route.page}`;
    case "settings":
      return `/settings/${route.section}`;
  }
}

/** Returns the id of the session that a view shows; null if it shows none. */
export function sessionOf(route: Route): string | null {
  return "sessionId" in route ? route.sessionId : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
