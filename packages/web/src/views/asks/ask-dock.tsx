import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { openAsks } from "../../state/asks.ts";
import { sessions } from "../../state/sessions.ts";
import { Link } from "../link.tsx";
import { AskCard } from "./ask-card.tsx";

/** Open asks of this session, and links to those of its child sessions. */
export function AskDock(props: { sessionId: string }): JSX.Element {
  const own = createMemo(() => openAsks(props.sessionId));
  const below = createMemo(() =>
    openAsks().filter((ask) => isBelow(ask.sessionId, props.sessionId)),
  );
  return (
    <Show when={own().length + below().length > 0}>
      <div class="ask-dock">
        <For each={below()}>
          {(ask) => (
            <Link class="ask-elsewhere" to={{ page: "session", sessionId: ask.sessionId }}>
              <span class="status-mark asking" aria-hidden="true" />
              {sessions[ask.sessionId]?.title ?? t().asks.otherSession}: {ask.question}
            </Link>
          )}
        </For>
        <For each={own()}>{(ask) => <AskCard ask={ask} />}</For>
      </div>
    </Show>
  );
}

function isBelow(sessionId: string, above: string): boolean {
  let parent = sessions[sessionId]?.parent?.sessionId;
  for (let depth = 0; parent !== undefined && depth < 20; depth += 1) {
    if (parent === above) return true;
    parent = sessions[parent]?.parent?.sessionId;
  }
  return false;
}
