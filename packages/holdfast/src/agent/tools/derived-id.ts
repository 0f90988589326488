import { createHash } from "node:crypto";

/**
 * Derives an id from a call, so that a resumed run finds the work that the call already started. Call ids of
 * providers are hashed into a valid form.
 */
export function derivedId(
  kind: string,
  call: { readonly runId: string; readonly callId: string },
): string {
  const hash = createHash("sha256").update(JSON.stringify([call.runId, call.callId]));
  return `${kind}-${hash.digest("hex").slice(0, 32)}`;
}
