import { createEffect, createMemo, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { reachesBack } from "@holdfast/model/reaches-back.ts";
import { buildTimeline } from "@holdfast/model/timeline.ts";
import { openSession } from "../../state/open-session.ts";
import { detailOf } from "../../state/sessions.ts";
import { attempt } from "../../state/show-error.ts";
import { throttled } from "../../state/throttled.ts";
import { SessionHead } from "../session/session-head.tsx";
import { BarDetail } from "./bar-detail.tsx";
import { Chart } from "./chart.tsx";
import { createChart } from "./chart-state.ts";
import { barKey, placeBar } from "./placed-bar.ts";
import type { ChartRow } from "./placed-bar.ts";
import { PromptLabel } from "./prompt-label.tsx";
import { Toolbar } from "./toolbar.tsx";

const redrawEvery = 150;

/** Timeline of a session: one bar for each prompt. */
export function SessionTimelinePage(props: { sessionId: string; onMenu: () => void }): JSX.Element {
  const open = openSession(props.sessionId);
  // Limit the updates, because redrawing everything is slow and streamed text does not change the chart.
  const conversation = throttled(open.conversation, redrawEvery);
  const timeline = createMemo(() => buildTimeline(conversation()));
  const bars = createMemo(
    () =>
      new Map(
        timeline().bars.map((bar) => {
          const placed = placeBar(props.sessionId, bar);
          return [placed.key, placed] as const;
        }),
      ),
  );
  const list = createMemo(() => [...bars().values()]);
  const chart = createChart(list);
  const rows = createMemo((): readonly ChartRow[] =>
    list()
      .toReversed()
      .map(({ key, sessionId }) => ({
        key,
        sessionId,
        bars: [key],
        holds: timeline().holds,
        isFirst: false,
        depth: 0,
      })),
  );
  createEffect(() => {
    const detail = detailOf(props.sessionId);
    if (open.status() !== "ready" || detail === null || !open.hasEarlier()) return;
    if (!reachesBack(conversation(), detail)) void attempt(() => open.loadEarlier());
  });
  const textOf = (promptId: string) => bars().get(barKey(props.sessionId, promptId))?.text ?? null;
  const selected = () => bars().get(chart.selected() ?? "");
  return (
    <section class="page timeline-page">
      <SessionHead sessionId={props.sessionId} onMenu={() => props.onMenu()} />
      <Show
        when={open.status() === "ready" && list().length > 0}
        fallback={
          <p class="page-message">
            {open.status() === "loading" ? t().app.loading : missingText(open.status())}
          </p>
        }
      >
        <Toolbar chart={chart} bars={list()} />
        <Chart
          chart={chart}
          rows={rows()}
          bars={bars()}
          hasCaptions={false}
          foot={
            <Show when={open.hasEarlier()}>
              <div class="chart-foot">
                <button
                  type="button"
                  class="button small"
                  onClick={() => void attempt(() => open.loadEarlier())}
                >
                  {t().timeline.earlier}
                </button>
              </div>
            </Show>
          }
          label={(row) => (
            <Show when={bars().get(row.key)}>
              {(bar) => <PromptLabel bar={bar()} chart={chart} textOf={textOf} />}
            </Show>
          )}
        />
        <Show when={selected()}>
          {(bar) => <BarDetail bar={bar()} chart={chart} textOf={textOf} />}
        </Show>
      </Show>
    </section>
  );
}

function missingText(status: "ready" | "missing" | "failed" | "loading"): string {
  if (status === "missing") return t().sessions.missing;
  return status === "failed" ? t().sessions.failed : t().timeline.empty;
}
