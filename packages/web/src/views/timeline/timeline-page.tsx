import { createMemo, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { timelineBars } from "../../model/timeline.ts";
import { openSession } from "../../state/open-session.ts";
import { serverTimeline } from "../../state/server-timeline.ts";
import { attempt } from "../../state/show-error.ts";
import { PageHead } from "../page-head.tsx";
import { SessionHead } from "../session/session-head.tsx";
import { Timeline } from "./timeline.tsx";

/** What the whole server has been doing. */
export function TimelinePage(props: { onMenu: () => void }): JSX.Element {
  const { bars, isLoading } = serverTimeline();
  return (
    <section class="page">
      <PageHead title={t().timeline.title} onMenu={props.onMenu} />
      <Show when={!isLoading()} fallback={<p class="page-message quiet">{t().app.loading}</p>}>
        <Timeline bars={bars()} isGrouped />
      </Show>
    </section>
  );
}

/** What one session has been doing. */
export function SessionTimelinePage(props: { sessionId: string; onMenu: () => void }): JSX.Element {
  const open = openSession(props.sessionId);
  const bars = createMemo(() => timelineBars(props.sessionId, open.conversation()));
  return (
    <section class="page">
      <SessionHead sessionId={props.sessionId} onMenu={() => props.onMenu()} />
      <Show
        when={open.status() === "ready"}
        fallback={
          <p class="page-message quiet">
            {open.status() === "loading" ? t().app.loading : t().sessions.missing}
          </p>
        }
      >
        <Timeline bars={bars()} isGrouped={false} />
        <Show when={open.hasEarlier()}>
          <p class="timeline-earlier">
            <button
              type="button"
              class="link-button"
              onClick={() => void attempt(() => open.loadEarlier())}
            >
              {t().timeline.earlier}
            </button>
          </p>
        </Show>
      </Show>
    </section>
  );
}
