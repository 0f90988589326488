import { createHash } from "node:crypto";

/**
 * An id that belongs to one call of one run: a resumed run that makes the call again finds what it
 * started before. Providers choose call ids, so these are hashed to fit the form of our own.
 */
export function derivedId(
  kind: string,
  call: { readonly runId: string; readonly callId: string },
): string {
  const hash = createHash("sha256").update(JSON.stringify([call.runId, call.callId]));
  return `${kind}-${hash.digest("hex").slice(0, 32)}`;
}
