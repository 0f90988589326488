import { Refused } from "@holdfast/sdk";
import { holdfast } from "./client.ts";
import { keepBrowserKey } from "./own-fetch.ts";

/** Redeems the code of a sign-in link, if the page was opened with one. */
export async function signIn(): Promise<void> {
  if (location.pathname !== "/open") return;
  const code = location.hash.slice(1);
  // Remove the code from the address first, so that it does not stay in the history.
  history.replaceState(null, "", "/");
  try {
    const { key } = await holdfast.signIn({ code });
    keepBrowserKey(key);
  } catch (error) {
    // The sign-in page or the connection banner shows the problem.
    if (error instanceof Refused) history.replaceState(null, "", "/?link=used");
  }
}
