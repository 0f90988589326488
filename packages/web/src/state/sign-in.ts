import { Refused } from "@holdfast/sdk";
import { holdfast } from "./client.ts";
import { keepBrowserKey } from "./own-fetch.ts";

/** Uses up the code of a link, if the page was opened by one. */
export async function signIn(): Promise<void> {
  if (location.pathname !== "/open") return;
  const code = location.hash.slice(1);
  // Before anything is sent: the address with the code stays in no history.
  history.replaceState(null, "", "/");
  try {
    const { key } = await holdfast.signIn({ code });
    keepBrowserKey(key);
  } catch (error) {
    // The page then says by itself that nobody is signed in, or that the server does not answer.
    if (error instanceof Refused) history.replaceState(null, "", "/?link=used");
  }
}
