import { compareClocks } from "./server-clock.ts";
import { readStored, writeStored } from "./storage.ts";

/**
 * Sends a request with this browser's key. The browser sends the cookie to every port of the host,
 * but only this origin can read the key. The server requires both.
 */
export async function ownFetch(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, {
    ...init,
    ...(mustSurvive(init) ? { keepalive: true } : {}),
  });
  const key = browserKey();
  if (key !== null) request.headers.set("x-holdfast-key", key);
  const response = await fetch(request);
  compareClocks(response);
  return response;
}

/** Whether the browser should finish the request even if the page closes. Only small requests can do this. */
function mustSurvive(init: RequestInit | undefined): boolean {
  const isSmall = typeof init?.body === "string" && init.body.length < 30_000;
  return isSmall && document.visibilityState === "hidden";
}

/**
 * Copy of the sign-in key, used if the browser's storage is not available. The page is then signed in only until it is
 * reloaded.
 */
let unstored: string | null = null;

/** Reads the key again for each request, because another tab may have signed in again. */
function browserKey(): string | null {
  return readStored<string | null>("key", null) ?? unstored;
}

export function dropBrowserKey(): void {
  unstored = null;
  writeStored("key", null);
}

export function keepBrowserKey(key: string): void {
  unstored = key;
  writeStored("key", key);
}
