import { createHash } from "node:crypto";

/** An id that follows from its parts alone, so that a resumed run comes to the same one. */
export function derivedId(kind: "call" | "ask" | "session" | "prompt", ...parts: string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return `${kind}-${digest.slice(0, 24)}`;
}
