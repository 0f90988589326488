import type { Session } from "@holdfast/sdk";
import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sessionOf } from "../../model/route.ts";
import type { SessionNode } from "../../model/session-tree.ts";
import { currentRoute } from "../../state/router.ts";
import { Menu } from "../../ui/menu.tsx";
import { Ago } from "../../ui/time.tsx";
import { Link } from "../link.tsx";
import { sessionActions } from "../session-actions.tsx";
import { StatusMark } from "../status-mark.tsx";

/** What of a session's state is worth words; null where its mark says enough. */
function doing(session: Session): string | null {
  if (session.status === "asking" || session.status === "held" || session.status === "cutOff") {
    return t().status[session.status];
  }
  return session.queued > 0 ? t().queuedCount({ count: session.queued }) : null;
}

/** A session in the list, with the child sessions that it has made. */
export function SessionItem(props: { node: SessionNode; onNavigate: () => void }): JSX.Element {
  const session = () => props.node.session;
  return (
    <li class="session-item">
      <div class="session-row">
        <Link
          to={{ page: "session", sessionId: session().sessionId }}
          isCurrent={sessionOf(currentRoute()) === session().sessionId}
          onClick={() => props.onNavigate()}
          class="session-link"
        >
          <StatusMark session={session()} />
          <span class="session-title">{session().title ?? t().sessions.untitled}</span>
          <span class="session-meta">
            <Show when={doing(session())} fallback={<Ago at={session().updatedAt} />}>
              {(words) => <span class={`doing ${session().status}`}>{words()}</span>}
            </Show>
          </span>
        </Link>
        <Menu label={t().app.more} items={sessionActions(session())} />
      </div>
      <Show when={props.node.children.length > 0}>
        <ul class="session-children">
          <For each={props.node.children}>
            {(child) => <SessionItem node={child} onNavigate={props.onNavigate} />}
          </For>
        </ul>
      </Show>
    </li>
  );
}
