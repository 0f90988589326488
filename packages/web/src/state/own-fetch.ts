import { readStored, writeStored } from "./storage.ts";

/**
 * Sends a request with this browser's key. The cookie reaches every port of the host; the key is in
 * storage of this page's origin, and the server wants both.
 */
export async function ownFetch(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const key = browserKey();
  if (key !== null) request.headers.set("x-holdfast-key", key);
  return fetch(request);
}

/** Used if the browser stores nothing: the page then stays signed in until it is loaded again. */
let unstored: string | null = null;

/** Read for each request: another tab may have signed in again. */
function browserKey(): string | null {
  return readStored<string | null>("key", null) ?? unstored;
}

export function keepBrowserKey(key: string): void {
  unstored = key;
  writeStored("key", key);
}
