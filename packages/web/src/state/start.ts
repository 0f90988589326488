import { loadAccount } from "./account.ts";
import { loadAsks } from "./asks.ts";
import { followServer, whenFollowing } from "./feed.ts";
import { loadSessions } from "./sessions.ts";
import { showError } from "./show-error.ts";

/** Connects to the server. Loads lists after events are followed, so that no change is missed. */
export function start(): void {
  void followServer();
  void whenFollowing()
    .then(() => Promise.all([loadAccount(), loadSessions(), loadAsks()]))
    .catch(showError);
}
