import { loadAccount } from "./account.ts";
import { loadAsks } from "./asks.ts";
import { followServer, whenFollowing } from "./feed.ts";
import { loadSessions } from "./sessions.ts";
import { showError } from "./show-error.ts";

/** Begins to follow the server. Lists are asked for once nothing can be missed any more. */
export function start(): void {
  void followServer();
  void whenFollowing()
    .then(() => Promise.all([loadAccount(), loadSessions(), loadAsks()]))
    .catch(showError);
}
