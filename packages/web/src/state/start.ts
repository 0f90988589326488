import { loadAccount } from "./account.ts";
import { loadAsks } from "./asks.ts";
import { followServer, whenFollowing } from "./feed.ts";
import { followNotices } from "./notify.ts";
import { followSeen } from "./seen.ts";
import { loadSessions } from "./sessions.ts";
import { push } from "./settings.ts";
import { showError } from "./show-error.ts";

/** Connects to the server. Loads the lists only after the event stream is connected, so that no change is missed. */
export function start(): void {
  void followServer();
  followSeen();
  followNotices();
  void whenFollowing()
    // The open session asks for its state now. It goes first, because people look at it.
    .then(() => new Promise((resolve) => setTimeout(resolve)))
    .then(() => Promise.all([loadAccount(), loadSessions(), loadAsks()]))
    .catch(showError);
  if (push() !== null) renewPush();
  // The service worker asks for this if the browser has renewed the subscription.
  globalThis.navigator.serviceWorker?.addEventListener("message", ({ data }: MessageEvent) => {
    if (data?.renewPush === true && push() !== null) renewPush();
  });
}

let renewing: Promise<void> = Promise.resolve();

/**
 * Sends the current push subscription of this browser to the server, one request at a time. The code for push messages
 * is loaded only if they are on.
 */
function renewPush(): void {
  renewing = renewing
    .then(() => import("./push.ts"))
    .then(({ keepPush }) => keepPush())
    // If the request fails, the next load of the page repeats it.
    .catch(() => {});
}
