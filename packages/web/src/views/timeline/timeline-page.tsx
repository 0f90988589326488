import { createMemo, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { belowParents } from "@holdfast/model/below-parents.ts";
import { packLanes } from "@holdfast/model/pack-lanes.ts";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { serverTimeline } from "../../state/server-timeline.ts";
import { sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../link.tsx";
import { PageHead } from "../page-head.tsx";
import { StatusMark } from "../status-mark.tsx";
import { BarDetail } from "./bar-detail.tsx";
import { Chart } from "./chart.tsx";
import { createChart } from "./chart-state.ts";
import { barKey, placeBar } from "./placed-bar.ts";
import type { ChartRow, PlacedBar } from "./placed-bar.ts";
import { Toolbar } from "./toolbar.tsx";

/** Number of sessions to show at first, and to add each time. */
const shownAtOnce = 24;
/** Maximum number of rows for one session. Further prompts are put into the last row. */
const mostLanes = 8;

/**
 * Timeline of the server: the prompts of all sessions with unfinished work, and of the most recently active sessions.
 */
export function TimelinePage(props: { onMenu: () => void }): JSX.Element {
  const [latest, setLatest] = createSignal(shownAtOnce);
  const server = serverTimeline(() => ({ since: Infinity, latest: latest() }));
  const bars = createMemo(
    () =>
      new Map(
        [...server.timelines()].flatMap(([sessionId, { bars: known }]) =>
          known.map((bar) => {
            const placed = placeBar(sessionId, bar);
            return [placed.key, placed] as const;
          }),
        ),
      ),
  );
  const list = createMemo(() => [...bars().values()]);
  const chart = createChart(list);
  const rows = createMemo((): readonly ChartRow[] =>
    belowParents([...server.timelines().keys()], parentOf).flatMap(({ id: sessionId, depth }) => {
      const { bars: known, holds } = server.timelines().get(sessionId) ?? { bars: [], holds: [] };
      const { places, lanes } = packLanes(known, { room: 400, most: mostLanes });
      if (known.length === 0) return [];
      return Array.from({ length: lanes }, (_, lane) => ({
        key: `${sessionId} lane ${lane}`,
        sessionId,
        bars: known
          .filter((_bar, index) => places[index] === lane)
          .map(({ promptId }) => barKey(sessionId, promptId)),
        holds,
        isFirst: lane === 0,
        depth,
      }));
    }),
  );
  const selected = () => bars().get(chart.selected() ?? "");
  const textOf = (bar: PlacedBar) => (promptId: string) =>
    bars().get(barKey(bar.sessionId, promptId))?.text ?? null;
  return (
    <section class="page timeline-page">
      <PageHead title={t().timeline.serverTitle} onMenu={props.onMenu} />
      <Show
        when={list().length > 0}
        fallback={
          <p class="page-message">{server.isLoaded() ? t().timeline.empty : t().app.loading}</p>
        }
      >
        <Toolbar chart={chart} bars={list()} />
        <Chart
          chart={chart}
          rows={rows()}
          bars={bars()}
          hasCaptions={true}
          foot={
            <div class="chart-foot">
              <p class="quiet">{t().timeline.shown(server.shown())}</p>
              <Show when={server.shown().hasEarlier}>
                <button
                  type="button"
                  class="button small"
                  onClick={() => setLatest((count) => count + shownAtOnce)}
                >
                  {t().timeline.earlierSessions}
                </button>
              </Show>
            </div>
          }
          label={(row) => (
            <Show when={row.isFirst}>
              <SessionLabel sessionId={row.sessionId} depth={row.depth} />
            </Show>
          )}
        />
        <Show when={selected()}>
          {(bar) => <BarDetail bar={bar()} chart={chart} textOf={textOf(bar())} />}
        </Show>
      </Show>
    </section>
  );
}

function parentOf(sessionId: string): string | null {
  return sessions[sessionId]?.parent?.sessionId ?? null;
}

function SessionLabel(props: { sessionId: string; depth: number }): JSX.Element {
  const session = () => sessions[props.sessionId];
  return (
    <Link class="session-label" to={{ page: "sessionTimeline", sessionId: props.sessionId }}>
      <Show when={props.depth > 0}>
        <Icon name="branch" size={12} />
      </Show>
      <Show when={session()}>{(known) => <StatusMark session={known()} />}</Show>
      <span class="label-words">
        <span class="label-title">{shownTitle(session())}</span>
        <bdi class="label-story">{visibleLine(session()?.directory ?? "")}</bdi>
      </span>
    </Link>
  );
}
