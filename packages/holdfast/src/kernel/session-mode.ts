import type { SessionMode } from "./state.ts";

/**
 * Returns the mode that applies to a session. `chosen`: the modes of the session and its ancestors, nearest first. If
 * one of them is plan mode, it applies. Otherwise the nearest chosen mode applies.
 */
export function effectiveMode(chosen: readonly (SessionMode | null)[]): SessionMode {
  if (chosen.includes("plan")) return "plan";
  return chosen.find((mode) => mode !== null) ?? "ask";
}
