import { createMemo, createSignal, For, Index, onCleanup, onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { toTime } from "../../model/time-axis.ts";
import type { Span } from "@holdfast/model/timeline.ts";
import { letterKeys } from "../../state/settings.ts";
import { serverNow } from "../../state/server-clock.ts";
import { dayText, timeRange } from "../../ui/time.tsx";
import { percent } from "./chart-state.ts";
import type { ChartState } from "./chart-state.ts";
import { Hint } from "../../ui/hint.tsx";
import { Overview } from "./overview.tsx";
import { barKey } from "./placed-bar.ts";
import type { ChartRow, PlacedBar } from "./placed-bar.ts";
import { RowBars } from "./row-bars.tsx";
import { TimeGrid, TimeScale } from "./time-scale.tsx";
import { ZoomButtons } from "./zoom-buttons.tsx";
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet exports nothing
import "../../styles/timelines.css";

interface ChartProps {
  chart: ChartState;
  rows: readonly ChartRow[];
  bars: ReadonlyMap<string, PlacedBar>;
  label: (row: ChartRow) => JSX.Element;
  hasCaptions: boolean;
  /** Content below the last row. */
  foot?: JSX.Element;
}

/** Height in pixels above and below the visible area in which rows are rendered too. */
const spare = 300;

export function Chart(props: ChartProps): JSX.Element {
  let scroller: HTMLDivElement | undefined;
  let track: HTMLDivElement | undefined;
  const [size, setSize] = createSignal({ height: 600, width: 800 });
  const [top, setTop] = createSignal(0);
  // The style sheet puts the label of a row above its bars in the same windows.
  const narrow = matchMedia("(max-width: 760px)");
  const [isNarrow, setNarrow] = createSignal(narrow.matches);
  const onNarrow = (): void => void setNarrow(narrow.matches);
  narrow.addEventListener("change", onNarrow);
  onCleanup(() => narrow.removeEventListener("change", onNarrow));
  const heightOf = (row: ChartRow): number => {
    if (!isNarrow()) return props.hasCaptions ? 44 : 48;
    return props.hasCaptions && !row.isFirst ? 44 : 72;
  };
  onMount(() => {
    const observer = new ResizeObserver(() =>
      setSize({ height: scroller?.clientHeight ?? 600, width: track?.clientWidth ?? 800 }),
    );
    if (scroller !== undefined) observer.observe(scroller);
    onCleanup(() => observer.disconnect());
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isHere = target instanceof Node && scroller?.contains(target) === true;
      if (isHere || target === document.body) moveByKey(event, props.chart);
    };
    addEventListener("keydown", onKey);
    onCleanup(() => removeEventListener("keydown", onKey));
  });
  /** Top edge of each row, followed by the total height. */
  const tops = createMemo(() => {
    const all = [0];
    for (const row of props.rows) all.push((all.at(-1) ?? 0) + heightOf(row));
    return all;
  });
  const topOf = (place: number): number => tops()[place] ?? 0;
  /** Returns the vertical center of a row's bars. There is room for captions above the bars. */
  const middleOf = (place: number): number => {
    const end = topOf(place + 1);
    if (props.hasCaptions) return end - 15;
    return isNarrow() ? end - 22 : end - 24;
  };
  const places = createMemo(() => new Map(props.rows.map(({ key }, place) => [key, place])));
  const placeOf = (key: string): number => places().get(key) ?? 0;
  const shown = createMemo(() =>
    props.rows
      .filter(
        (_row, place) =>
          topOf(place + 1) > top() - spare && topOf(place) < top() + size().height + spare,
      )
      .map(({ key }) => key),
  );
  const rowOf = (key: string): ChartRow | undefined => props.rows[places().get(key) ?? -1];
  const joins = createMemo(() => joinsOf(props.rows, props.bars));
  const shownJoins = createMemo(() => {
    const [above, below] = [top() - spare, top() + size().height + spare];
    return joins().filter(({ from, to }) => {
      const [one, other] = [middleOf(from), middleOf(to)];
      return Math.max(one, other) > above && Math.min(one, other) < below;
    });
  });
  return (
    <div class="chart" classList={{ captions: props.hasCaptions }}>
      <div class="chart-top">
        <div class="chart-corner">
          <Reach chart={props.chart} />
          <ZoomButtons chart={props.chart} />
        </div>
        <div class="chart-times">
          <Overview chart={props.chart} bars={[...props.bars.values()]} />
          <TimeScale chart={props.chart} width={size().width} />
        </div>
      </div>
      <div
        ref={scroller}
        class="chart-scroll"
        tabindex="0"
        role="group"
        aria-label={t().timeline.label}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onWheel={(event) => moveByWheel(event, props.chart, track)}
      >
        <div class="chart-rows" style={{ "min-height": `${topOf(props.rows.length)}px` }}>
          <div class="chart-grid" ref={track} onPointerDown={(event) => drag(event, props.chart)}>
            <TimeGrid chart={props.chart} width={size().width} />
            <svg class="chart-joins" aria-hidden="true">
              <Index each={shownJoins()}>
                {(join) => (
                  <JoinLine
                    x={props.chart.x(join().at)}
                    from={middleOf(join().from)}
                    to={middleOf(join().to)}
                  />
                )}
              </Index>
            </svg>
            <Show when={isLive(props.bars)}>
              <span class="now-line" style={{ left: percent(props.chart.x(props.chart.now())) }} />
            </Show>
          </div>
          <For each={shown()}>
            {(key) => (
              <Show when={rowOf(key)}>
                {(row) => (
                  <div
                    class="chart-row"
                    classList={{ first: row().isFirst }}
                    style={{
                      transform: `translateY(${topOf(placeOf(key))}px)`,
                      height: `${heightOf(row())}px`,
                    }}
                  >
                    <div class="chart-label">{props.label(row())}</div>
                    <div class="chart-track">
                      <div class="track-inner">
                        <Index each={row().holds}>
                          {(span) => <HoldBand span={span()} chart={props.chart} />}
                        </Index>
                        <RowBars
                          row={row()}
                          bars={props.bars}
                          chart={props.chart}
                          hasCaptions={props.hasCaptions}
                        />
                      </div>
                    </div>
                  </div>
                )}
              </Show>
            )}
          </For>
        </div>
        {props.foot}
      </div>
      <Hint />
    </div>
  );
}

/** The visible time range. */
function Reach(props: { chart: ChartState }): JSX.Element {
  const times = createMemo(() => {
    const { from, to } = props.chart.view();
    const axis = props.chart.axis();
    return { from: toTime(axis, from), to: Math.min(toTime(axis, to), serverNow()) };
  });
  return (
    <div class="chart-reach">
      <span>{dayText(times().from)}</span>
      <span class="quiet">{timeRange(times().from, times().to)}</span>
    </div>
  );
}

function HoldBand(props: { span: Span; chart: ChartState }): JSX.Element {
  const left = () => props.chart.x(props.span.from);
  const right = () => props.chart.x(props.span.to ?? props.chart.now());
  return (
    <span
      class="hold-band"
      style={{ left: percent(left()), width: percent(Math.max(0, right() - left())) }}
    />
  );
}

/** A line from a prompt to the active run that it joined. */
function JoinLine(props: { x: number; from: number; to: number }): JSX.Element {
  return (
    <>
      <line x1={percent(props.x)} x2={percent(props.x)} y1={props.from} y2={props.to} />
      <circle cx={percent(props.x)} cy={props.to} r="3" />
    </>
  );
}

function joinsOf(rows: readonly ChartRow[], bars: ReadonlyMap<string, PlacedBar>) {
  const rowOfBar = new Map(
    rows.flatMap(({ bars: keys }, place) => keys.map((key) => [key, place])),
  );
  return [...bars.values()].flatMap((bar) => {
    if (bar.joined === null || bar.active === null) return [];
    const from = rowOfBar.get(bar.key);
    const to = rowOfBar.get(barKey(bar.sessionId, bar.joined));
    return from === undefined || to === undefined || from === to
      ? []
      : [{ at: bar.active.from, from, to }];
  });
}

function isLive(bars: ReadonlyMap<string, PlacedBar>): boolean {
  return bars.values().some(({ to }) => to === null);
}

function moveByKey(event: KeyboardEvent, chart: ChartState): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions: Record<string, () => void> = {
    "+": () => chart.zoom(0.6),
    "=": () => chart.zoom(0.6),
    "-": () => chart.zoom(1 / 0.6),
    "0": () => chart.whole(),
    ArrowLeft: () => chart.pan(-0.15),
    ArrowRight: () => chart.pan(0.15),
  };
  const action = actions[event.key];
  const isCharacter = event.key.length === 1;
  if (action === undefined || (isCharacter && !letterKeys())) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function moveByWheel(event: WheelEvent, chart: ChartState, track: HTMLElement | undefined): void {
  const isZoom = event.ctrlKey || event.metaKey;
  const sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (!isZoom && Math.abs(sideways) <= Math.abs(event.deltaY) && !event.shiftKey) return;
  event.preventDefault();
  const box = track?.getBoundingClientRect();
  if (box === undefined || box.width === 0) return;
  if (isZoom) chart.zoom(Math.exp(event.deltaY / 300), (event.clientX - box.left) / box.width);
  else chart.pan(sideways / box.width);
}

/** Scrolls the chart sideways by dragging. */
function drag(event: PointerEvent & { currentTarget: HTMLElement }, chart: ChartState): void {
  if (event.button !== 0 || chart.isWhole()) return;
  const element = event.currentTarget;
  const { width } = element.getBoundingClientRect();
  let last = event.clientX;
  element.setPointerCapture(event.pointerId);
  const move = (next: PointerEvent): void => {
    chart.pan((last - next.clientX) / width);
    last = next.clientX;
  };
  const stop = (): void => {
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", stop);
    element.removeEventListener("pointercancel", stop);
  };
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", stop);
  element.addEventListener("pointercancel", stop);
}
