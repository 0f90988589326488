import { createEffect, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { connectionStatus } from "../state/feed.ts";
import { showToast } from "../state/toasts.ts";

/** Calm: nothing is lost while the server is away, and it is asked again by itself. */
export function ConnectionBanner(): JSX.Element {
  createEffect(
    on(connectionStatus, (status, before) => {
      if (status === "live" && before === "lost")
        showToast(() => t().connection.back, { tone: "good" });
    }),
  );
  return (
    <Show when={connectionStatus() === "lost"}>
      <div class="connection-banner" role="status">
        <span class="spinner" aria-hidden="true" />
        {t().connection.lost}
      </div>
    </Show>
  );
}
