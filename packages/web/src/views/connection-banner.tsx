import { createEffect, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { connectionStatus, serverStopsAt } from "../state/feed.ts";
import { showToast } from "../state/toasts.ts";
import { clockTime } from "../ui/time.tsx";

/** Shows that the server shuts down or does not respond. */
export function ConnectionBanner(): JSX.Element {
  createEffect(
    on(connectionStatus, (status, before) => {
      if (status === "live" && before === "lost")
        showToast(() => t().connection.back, { tone: "good" });
    }),
  );
  const message = (): string | null => {
    if (connectionStatus() === "lost") return t().connection.lost;
    const until = serverStopsAt();
    return until === null ? null : t().connection.stopping({ time: clockTime(until) });
  };
  return (
    <Show when={message()}>
      {(text) => (
        <div class="connection-banner" role="status">
          <span class="spinner" aria-hidden="true" />
          {text()}
        </div>
      )}
    </Show>
  );
}
