import type { Session } from "@holdfast/sdk";
import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sessionOf } from "../../model/route.ts";
import { currentRoute } from "../../state/router.ts";
import { sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { Menu } from "../../ui/menu.tsx";
import { Ago } from "../../ui/time.tsx";
import { Link } from "../link.tsx";
import { sessionActions } from "../session-actions.tsx";
import { StatusMark } from "../status-mark.tsx";

/** Returns the status text of a session; null if the icon says enough. */
function doing(session: Session): string | null {
  if (session.status === "asking" || session.status === "held" || session.status === "cutOff") {
    return t().status[session.status];
  }
  return session.queued > 0 ? t().queuedCount({ count: session.queued }) : null;
}

/**
 * A session in the list. The session is looked up by id, so that the row and its open menu are kept while the list
 * changes.
 */
export function SessionItem(props: {
  sessionId: string;
  depth: number;
  onNavigate: () => void;
}): JSX.Element {
  return (
    <Show when={sessions[props.sessionId]}>
      {(session) => (
        <div class="session-row" style={{ "--depth": props.depth }}>
          <Link
            to={{ page: "session", sessionId: props.sessionId }}
            isCurrent={sessionOf(currentRoute()) === props.sessionId}
            onClick={() => props.onNavigate()}
            class="session-link"
          >
            <StatusMark session={session()} />
            <span class="session-title" title={shownTitle(session())}>
              {shownTitle(session())}
            </span>
            <span class="session-meta">
              <Show when={doing(session())} fallback={<Ago at={session().updatedAt} />}>
                {(words) => <span class={`doing ${session().status}`}>{words()}</span>}
              </Show>
            </span>
          </Link>
          <Menu label={t().app.more} items={sessionActions(session())} />
        </div>
      )}
    </Show>
  );
}
