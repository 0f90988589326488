import { Refused } from "@holdfast/sdk";
import { holdfast } from "./client.ts";
import { parseRoute } from "../model/route.ts";
import { keepBrowserKey } from "./own-fetch.ts";
import { go } from "./router.ts";
import { readStored, writeStored } from "./storage.ts";

/** Remembers the current page, to show it again after a sign-in with a link. */
export function rememberPage(): void {
  writeStored("page", location.pathname);
}

/** Redeems the code of a sign-in link, if the page was opened with one. */
export async function signIn(): Promise<void> {
  if (location.pathname !== "/open") return;
  const code = location.hash.slice(1);
  // Remove the code from the address first, so that it does not stay in the history.
  history.replaceState(null, "", "/");
  try {
    const { key } = await holdfast.signIn({ code });
    keepBrowserKey(key);
    // Only addresses of this page are valid routes; all others become the start page.
    go(parseRoute(readStored("page", "/")), { replace: true });
    writeStored("page", null);
  } catch (error) {
    // Ignore the error: the sign-in page or the connection banner shows the problem.
    if (error instanceof Refused) history.replaceState(null, "", "/?link=used");
  }
}
