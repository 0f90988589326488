import { createMemo, Index } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { ticksOf } from "../../model/time-axis.ts";
import { dateText } from "../../ui/formats.ts";
import { duration } from "../../ui/time.tsx";
import { percent } from "./chart-state.ts";
import type { ChartState } from "./chart-state.ts";

/** Pixels of the longest label. A label that would end beyond the chart is left out. */
const labelWidth = 56;

/** Time labels above the chart. */
export function TimeScale(props: { chart: ChartState; width: number }): JSX.Element {
  const marks = createMemo(() => marksOf(props.chart, props.width));
  return (
    <div class="chart-scale" aria-hidden="true">
      <Index each={marks().ticks.filter((tick) => (1 - tick.x) * props.width > labelWidth)}>
        {(tick) => (
          <span class="scale-time" style={{ left: percent(tick().x) }}>
            {timeText(tick().time, marks().step)}
          </span>
        )}
      </Index>
      <Index each={marks().breaks}>
        {(each) => (
          <span
            class="scale-break"
            style={{ left: percent(each().x + each().width / 2) }}
            title={t().timeline.folded({ time: duration(each().folded) })}
          >
            {duration(each().folded)}
          </span>
        )}
      </Index>
    </div>
  );
}

/** Vertical lines at the labelled times, and marks where idle time is drawn as a break. */
export function TimeGrid(props: { chart: ChartState; width: number }): JSX.Element {
  const marks = createMemo(() => marksOf(props.chart, props.width));
  return (
    <>
      <Index each={marks().ticks}>
        {(tick) => <span class="grid-line" style={{ left: percent(tick().x) }} />}
      </Index>
      <Index each={marks().breaks}>
        {(each) => (
          <span
            class="grid-break"
            style={{ left: percent(each().x), width: percent(each().width) }}
          />
        )}
      </Index>
    </>
  );
}

const pixelsPerTick = 110;

function marksOf(chart: ChartState, width: number) {
  const view = chart.view();
  const x = (position: number): number => (position - view.from) / (view.to - view.from);
  const { ticks, step } = ticksOf(chart.axis(), view, Math.max(2, width / pixelsPerTick));
  const breaks = chart.axis().breaks.flatMap((each) => {
    const mark = { x: x(each.position), width: each.width / (view.to - view.from) };
    return mark.x > 1 || mark.x + mark.width < 0 ? [] : [{ ...mark, folded: each.folded }];
  });
  const clear = ticks
    .map(({ position, time }) => ({ time, x: x(position) }))
    .filter((tick) =>
      breaks.every((each) => Math.abs(each.x + each.width / 2 - tick.x) * width > 72),
    );
  return { ticks: clear, step, breaks };
}

function timeText(time: number, step: number): string {
  if (step >= 86_400_000) return dateText(time, { month: "short", day: "numeric" });
  const format: Intl.DateTimeFormatOptions = {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  };
  if (step < 60_000) format.second = "2-digit";
  if (step < 1_000) format.fractionalSecondDigits = step < 100 ? 2 : 1;
  return dateText(time, format);
}
