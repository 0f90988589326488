import { createMemo, Index, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { Segment } from "@holdfast/model/run-segments.ts";
import { lengthOf } from "@holdfast/model/timeline.ts";
import type { Span } from "@holdfast/model/timeline.ts";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { duration } from "../../ui/time.tsx";
import { percent } from "./chart-state.ts";
import type { ChartState } from "./chart-state.ts";
import { hideHint, showHint } from "../../ui/hint.tsx";
import type { PlacedBar } from "./placed-bar.ts";
import { barLabel, segmentName, segmentText, titleOf } from "./bar-text.ts";
import type { TextOf } from "./bar-text.ts";

/** Minimum width as a share of the chart width: a narrower bar is drawn this wide, and a narrower wait is not drawn. */
const shortestShare = 0.004;
/** Minimum width for a text, as a share of the chart width. */
const leastRoom = 0.06;
/**
 * Minimum free space after a bar, as a share of the chart width. With less space, the mark of a completed prompt is not
 * drawn.
 */
const endRoom = 0.035;

/**
 * One prompt: a dot where it was accepted, a line while it waits, a bar while it runs, and its end.
 */
export function BarView(props: {
  bar: PlacedBar;
  chart: ChartState;
  textOf: TextOf;
  /** Share of the chart width that the text beside the bar may use; null: no text. */
  captionRoom: number | null;
}): JSX.Element {
  const chart = () => props.chart;
  const left = () => chart().x(props.bar.from);
  const right = () => chart().x(props.bar.to ?? chart().now());
  const width = () => Math.max(shortestShare, right() - left());
  /**
   * Width of the part of the bar to the left of the visible area. The text moves to the right by this width to stay
   * visible.
   */
  const hidden = () => Math.max(0, -left());
  const waits = () => chart().x(props.bar.waiting.to ?? chart().now()) - left();
  const isSeen = () => right() >= -0.02 && left() <= 1.02;
  const hasEnd = () =>
    props.captionRoom === null ||
    props.captionRoom - width() > endRoom ||
    props.bar.outcome?.status !== "completed";
  const isSelected = () => chart().selected() === props.bar.key;
  const select = () => chart().select(isSelected() ? null : props.bar.key);
  return (
    <Show when={isSeen()}>
      <button
        type="button"
        class={`prompt-bar ${props.bar.stage} ${props.bar.outcome?.status ?? ""}`}
        classList={{ selected: isSelected() }}
        style={{ left: percent(left()), width: percent(width()) }}
        aria-pressed={isSelected()}
        onClick={select}
        onDblClick={() => chart().lookAt(props.bar)}
        onPointerMove={(event) => {
          if (event.target === event.currentTarget) hideHint();
        }}
        onPointerLeave={hideHint}
      >
        <span class="hidden-text">{barLabel(props.bar, chart().now(), props.textOf)}</span>
        <Show when={(props.captionRoom ?? 0) < leastRoom ? null : props.captionRoom}>
          {(room) => (
            <span
              class="bar-caption"
              classList={{ joined: props.bar.joined !== null }}
              aria-hidden="true"
              style={{
                left: percent(hidden() / width()),
                "max-width": percent(Math.max(0, room() - hidden()) / width()),
              }}
            >
              {titleOf(props.bar)}
            </span>
          )}
        </Show>
        <Show when={waits() > shortestShare}>
          <span class="bar-dot" />
        </Show>
        <Part within={props.bar} span={props.bar.waiting} chart={chart()} class="bar-wait">
          {t().timeline.kinds.waiting}
        </Part>
        <Index each={props.bar.held}>
          {(span) => (
            <Part within={props.bar} span={span()} chart={chart()} class="bar-held">
              {t().timeline.kinds.held}
            </Part>
          )}
        </Index>
        <Show when={props.bar.active}>
          {(active) => (
            <Part
              within={props.bar}
              span={active()}
              chart={chart()}
              class={`bar-active${props.bar.joined === null ? "" : " in-other"}`}
            >
              {props.bar.joined === null ? t().timeline.kinds.other : t().timeline.joinedRun}
            </Part>
          )}
        </Show>
        <Index each={props.bar.segments}>
          {(segment) => <SegmentView bar={props.bar} segment={segment()} chart={chart()} />}
        </Index>
        <Show when={hasEnd()}>
          <EndMark bar={props.bar} now={chart().now()} />
        </Show>
      </button>
    </Show>
  );
}

/** A segment of a bar. Its child is the tooltip. */
function Part(props: {
  within: Span;
  span: Span;
  chart: ChartState;
  class: string;
  children: string;
}): JSX.Element {
  const place = () => placeWithin(props.within, props.span, props.chart);
  return (
    <span
      class={props.class}
      style={{ left: percent(place().left), width: percent(place().width) }}
      onPointerMove={(event) =>
        showHint(event, `${props.children} · ${duration(lengthOf(props.span, props.chart.now()))}`)
      }
    />
  );
}

function SegmentView(props: { bar: PlacedBar; segment: Segment; chart: ChartState }): JSX.Element {
  const place = () => placeWithin(props.bar, props.segment, props.chart);
  const height = () => 1 / props.segment.lanes;
  const isOpen = () => props.segment.to === null && props.bar.to === null;
  return (
    <span
      class={`segment-part ${props.segment.kind} ${props.segment.status ?? ""}`}
      classList={{ open: isOpen() }}
      style={{
        left: percent(place().left),
        width: percent(place().width),
        "--lane": String(props.segment.lane * height()),
        "--share": String(height()),
      }}
      onPointerMove={(event) => showHint(event, segmentText(props.segment, props.chart.now()))}
    >
      <Show when={props.segment.kind === "tool" && props.segment.lanes === 1}>
        <span class="segment-name" aria-hidden="true">
          {segmentName(props.segment)}
        </span>
      </Show>
    </span>
  );
}

function EndMark(props: { bar: PlacedBar; now: number }): JSX.Element {
  const icon = createMemo((): IconName | null => {
    switch (props.bar.outcome?.status) {
      case "completed":
        return "check";
      case "failed":
        return "close";
      case "cancelled":
        return "minus";
      case undefined:
        return null;
    }
  });
  return (
    <span class="bar-end" aria-hidden="true">
      <Show when={icon()} fallback={<span class="bar-pulse" />}>
        {(name) => (
          <span class="end-icon">
            <Icon name={name()} size={9} />
          </span>
        )}
      </Show>
      <span class="end-time">{duration(lengthOf(props.bar, props.now))}</span>
    </span>
  );
}

function placeWithin(bar: Span, part: Span, chart: ChartState): { left: number; width: number } {
  const begin = chart.x(bar.from);
  const width = chart.x(bar.to ?? chart.now()) - begin;
  if (width <= 0) return { left: 0, width: 0 };
  const from = chart.x(part.from);
  const to = chart.x(part.to ?? bar.to ?? chart.now());
  return { left: (from - begin) / width, width: Math.max(0, to - from) / width };
}
