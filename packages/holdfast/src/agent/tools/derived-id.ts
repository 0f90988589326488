import { createHash } from "node:crypto";

/**
 * Derives an id from a tool call, so that a resumed run finds the work that the call has already started. The call id
 * is hashed, because the provider chose it and it may contain characters that are not allowed here.
 */
export function derivedId(
  kind: string,
  call: { readonly runId: string; readonly callId: string },
): string {
  const hash = createHash("sha256").update(JSON.stringify([call.runId, call.callId]));
  return `${kind}-${hash.digest("hex").slice(0, 32)}`;
}
