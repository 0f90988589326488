import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { connectionStatus, serverStopsAt } from "../../state/feed.ts";
import { outboxOf } from "../../state/outbox.ts";

/** A prompt that was sent, but that the server has not accepted yet. */
export function OutgoingRow(props: { sessionId: string; promptId: string }): JSX.Element {
  const outgoing = () =>
    outboxOf(props.sessionId).find(({ promptId }) => promptId === props.promptId);
  return (
    <Show when={outgoing()}>
      {(prompt) => (
        <article class="prompt outgoing">
          <header class="row-head">
            <span class="who">{t().conversation.you}</span>
            <span class="note">
              {connectionStatus() === "live" && serverStopsAt() === null
                ? t().conversation.sending
                : t().conversation.sendingLost}
            </span>
          </header>
          <p class="prompt-text">{prompt().text}</p>
        </article>
      )}
    </Show>
  );
}
