import type { Draft } from "../draft.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";

/** A deleted session takes nothing new (M8). */
export function checkOpen(draft: Draft): Refused | null {
  if (draft.state.status === "open") return null;
  return refuse({ code: "deleted" }, "the session was deleted; create another one");
}
