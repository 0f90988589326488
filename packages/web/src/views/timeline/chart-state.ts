import { createEffect, createMemo, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { makeAxis, toPosition, toTime } from "../../model/time-axis.ts";
import type { TimeAxis } from "../../model/time-axis.ts";
import { serverNow } from "../../state/server-clock.ts";
import type { PromptBar } from "@holdfast/model/timeline.ts";

/** The visible part of an axis, in positions on the axis. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** State that the components of a timeline share: the time, its axis, and the visible part. */
export interface ChartState {
  readonly now: Accessor<number>;
  readonly axis: Accessor<TimeAxis>;
  readonly view: Accessor<View>;
  readonly isWhole: Accessor<boolean>;
  /** Horizontal position of a moment: 0 at the left edge, 1 at the right edge. */
  x(time: number): number;
  look(view: View): void;
  lookAt(span: { from: number; to: number | null }): void;
  zoom(factor: number, at?: number): void;
  pan(share: number): void;
  whole(): void;
  readonly selected: Accessor<string | null>;
  select(promptId: string | null): void;
}

const tick = 100;
/** Share of the chart that is kept free at the right, so that the chart does not scroll with every update. */
const room = 0.06;
const shortestRoom = 1_500;
const shortestView = 20;

export function createChart(bars: Accessor<readonly PromptBar[]>): ChartState {
  const [now, setNow] = createSignal(serverNow());
  const isLive = createMemo(() => bars().some(({ to }) => to === null));
  createEffect(() => {
    if (!isLive()) return;
    const timer = setInterval(() => setNow(serverNow()), tick);
    setNow(serverNow());
    onCleanup(() => clearInterval(timer));
  });
  const edge = createMemo((before: number): number => {
    const ends = bars().map(({ from, to }) => to ?? from);
    const last = Math.max(0, ...ends);
    if (!isLive()) return last;
    const latest = Math.max(last, now());
    if (before > latest && before < latest * 1.5) return before;
    const length = makeAxis(bars(), latest).length;
    return latest + Math.max(shortestRoom, length * room);
  }, 0);
  const axis = createMemo(() => makeAxis(bars(), edge()));
  /**
   * The visible time range. It is stored as times, because positions on the axis change when data is added. `to` is
   * null: up to now.
   */
  const [window, setWindow] = createSignal<{ from: number; to: number | null } | null>(null);
  const view = createMemo((): View => {
    const chosen = window();
    if (chosen === null) return { from: 0, to: axis().length };
    const from = toPosition(axis(), chosen.from);
    const to = chosen.to === null ? axis().length : toPosition(axis(), chosen.to);
    return { from, to: Math.max(to, from + shortestView) };
  });
  const look = ({ from, to }: View): void => {
    const { length } = axis();
    const width = Math.min(length, Math.max(shortestView, to - from));
    const begin = Math.max(0, Math.min(from, length - width));
    if (width >= length * 0.999) return void setWindow(null);
    const end = begin + width;
    setWindow({
      from: toTime(axis(), begin),
      to: end >= length * 0.9999 ? null : toTime(axis(), end),
    });
  };
  const [selected, select] = createSignal<string | null>(null);
  return {
    now,
    axis,
    view,
    isWhole: () => window() === null,
    x: (time) => (toPosition(axis(), time) - view().from) / (view().to - view().from),
    look,
    lookAt: ({ from, to }) => {
      const begin = toPosition(axis(), from);
      const end = toPosition(axis(), to ?? now());
      const margin = Math.max(shortestView, (end - begin) * 0.08);
      look({ from: begin - margin, to: end + margin });
    },
    zoom: (factor, at = 0.5) => {
      const { from, to } = view();
      const width = (to - from) * factor;
      const centre = from + (to - from) * at;
      look({ from: centre - width * at, to: centre + width * (1 - at) });
    },
    pan: (share) => {
      const { from, to } = view();
      const shift = (to - from) * share;
      look({ from: from + shift, to: to + shift });
    },
    whole: () => setWindow(null),
    selected,
    select,
  };
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(4)}%`;
}
