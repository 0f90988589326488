import { createMemo, For, Index } from "solid-js";
import type { JSX } from "solid-js";
import { niceTop } from "../../model/nice-top.ts";
import { hideHint, showHint } from "../../ui/hint.tsx";
import { clockTime } from "../../ui/time.tsx";

export interface Series {
  readonly name: string;
  /** CSS class of the color. */
  readonly tone: string;
  readonly values: readonly number[];
}

/** A stacked column chart over time. */
export function ColumnChart(props: {
  title: string;
  series: readonly Series[];
  times: readonly number[];
  format: (value: number) => string;
  /** Key number of the chart, shown in large type. */
  figure: string;
}): JSX.Element {
  const count = () => props.times.length;
  const top = createMemo(() => {
    const sums = props.times.map((_, place) => total(props.series, place));
    return niceTop(Math.max(0, ...sums));
  });
  const hint = (place: number): string =>
    [
      clockTime(props.times[place] ?? 0),
      ...props.series
        .filter(({ values }) => (values[place] ?? 0) > 0)
        .map(({ name, values }) => `${name} ${props.format(values[place] ?? 0)}`),
    ].join(" · ");
  return (
    <figure class="health-card">
      <figcaption>
        <h2>{props.title}</h2>
        <span class="figure">{props.figure}</span>
      </figcaption>
      <div
        class="columns"
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const place = Math.floor(((event.clientX - box.left) / box.width) * count());
          showHint(event, hint(Math.max(0, Math.min(count() - 1, place))));
        }}
        onPointerLeave={hideHint}
      >
        <span class="top-line">{props.format(top())}</span>
        <svg viewBox={`0 0 ${count() * 10} 100`} preserveAspectRatio="none" aria-hidden="true">
          <For each={props.series}>
            {(series, place) => (
              <path
                class={series.tone}
                d={columns(series.values, (at) => total(props.series.slice(0, place()), at), top())}
              />
            )}
          </For>
        </svg>
      </div>
      <div class="column-times" aria-hidden="true">
        <Index each={[0, 0.5, 1]}>
          {(share) => (
            <span>{clockTime(props.times[Math.floor(share() * (count() - 1))] ?? 0)}</span>
          )}
        </Index>
      </div>
      <ul class="chart-legend">
        <For each={props.series.length > 1 ? props.series : []}>
          {({ name, tone }) => (
            <li>
              <span class={`swatch ${tone}`} />
              {name}
            </li>
          )}
        </For>
      </ul>
    </figure>
  );
}

function total(series: readonly Series[], place: number): number {
  return series.reduce((sum, { values }) => sum + (values[place] ?? 0), 0);
}

function columns(values: readonly number[], below: (place: number) => number, top: number): string {
  return values
    .map((value, place) => {
      if (value <= 0) return "";
      const height = (value / top) * 100;
      const y = 100 - (below(place) / top) * 100 - height;
      return `M${place * 10 + 1} ${y.toFixed(2)}h8v${height.toFixed(2)}h-8z`;
    })
    .join("");
}
