import type { SessionMode } from "./state.ts";

/**
 * Returns the mode in which a session works, from the modes that were chosen for it and its parents, in this order. A
 * session in plan mode keeps all sessions below it in plan mode. Otherwise the nearest choice counts.
 */
export function effectiveMode(chosen: readonly (SessionMode | null)[]): SessionMode {
  if (chosen.includes("plan")) return "plan";
  return chosen.find((mode) => mode !== null) ?? "ask";
}
