import { createMemo, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { loadOverTime } from "../../model/load-over-time.ts";
import { percent } from "./chart-state.ts";
import type { ChartState } from "./chart-state.ts";
import type { PlacedBar } from "./placed-bar.ts";

const places = 240;
const height = 40;

/** Shows the whole time range: how many prompts ran and waited, and which part is visible. */
export function Overview(props: { chart: ChartState; bars: readonly PlacedBar[] }): JSX.Element {
  let element: HTMLDivElement | undefined;
  const load = createMemo(() =>
    loadOverTime(props.bars, props.chart.axis(), { places, now: props.chart.now() }),
  );
  const [brush, setBrush] = createSignal<{ begin: number; end: number } | null>(null);
  const shareAt = (event: PointerEvent): number => {
    const box = element?.getBoundingClientRect();
    if (box === undefined) return 0;
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
  };
  const shown = createMemo(() => {
    const drawn = brush();
    if (drawn !== null) {
      return { from: Math.min(drawn.begin, drawn.end), to: Math.max(drawn.begin, drawn.end) };
    }
    const { length } = props.chart.axis();
    const { from, to } = props.chart.view();
    return { from: from / length, to: to / length };
  });
  const end = (): void => {
    const drawn = brush();
    setBrush(null);
    if (drawn === null) return;
    const { length } = props.chart.axis();
    const [from, to] = [Math.min(drawn.begin, drawn.end), Math.max(drawn.begin, drawn.end)];
    if (to - from > 0.005) return props.chart.look({ from: from * length, to: to * length });
    // A click centers the chart on that moment.
    const { from: begin, to: finish } = props.chart.view();
    const half = (finish - begin) / 2;
    props.chart.look({ from: from * length - half, to: from * length + half });
  };
  return (
    <div
      ref={element}
      class="chart-overview"
      role="img"
      aria-label={t().timeline.overview}
      title={t().timeline.overviewHint}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setBrush({ begin: shareAt(event), end: shareAt(event) });
      }}
      onPointerMove={(event) =>
        setBrush((before) => before && { begin: before.begin, end: shareAt(event) })
      }
      onPointerUp={end}
      onPointerCancel={() => setBrush(null)}
      onDblClick={() => props.chart.whole()}
    >
      <svg viewBox={`0 0 ${places} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path
          class="load-waiting"
          d={area(
            load().running.map((count, place) => count + (load().waiting[place] ?? 0)),
            load().highest,
          )}
        />
        <path class="load-running" d={area(load().running, load().highest)} />
      </svg>
      <Show when={!props.chart.isWhole() || brush() !== null}>
        <span class="brush-shade before" style={{ width: percent(shown().from) }} />
        <span class="brush-shade behind" style={{ left: percent(shown().to) }} />
        <span
          class="brush"
          style={{ left: percent(shown().from), width: percent(shown().to - shown().from) }}
        />
      </Show>
    </div>
  );
}

function area(values: readonly number[], highest: number): string {
  const y = (value: number): string => (height - (value / highest) * (height - 4)).toFixed(2);
  const steps = values.map((value, place) => `L${place} ${y(value)}L${place + 1} ${y(value)}`);
  return `M0 ${height}${steps.join("")}L${values.length} ${height}Z`;
}
