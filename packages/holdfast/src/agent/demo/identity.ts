import { createHash } from "node:crypto";

/** The name that selects the demo agent. */
export const demoName = "demo";

/** Derives an id from its arguments only, so that a resumed run gets the same id. */
export function derivedId(kind: "call" | "ask" | "session" | "prompt", ...parts: string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return `${kind}-${digest.slice(0, 24)}`;
}
