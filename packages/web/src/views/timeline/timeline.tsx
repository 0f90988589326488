import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { promptEntryId } from "../../model/conversation.ts";
import { ticks, usualReach, windowOf, zoom } from "../../model/timeline.ts";
import type { Bar, Reach, TimeWindow } from "../../model/timeline.ts";
import { go } from "../../state/router.ts";
import { sessions } from "../../state/sessions.ts";
import { IconButton } from "../../ui/icon.tsx";
import { languageTag, now } from "../../ui/time.tsx";
import { setFocusTarget } from "../session/focus-target.ts";
import { TimelineBar } from "./timeline-bar.tsx";

/** More rows than this are of no use to anybody; zooming in shows the others. */
const mostRows = 250;

const reaches = ["minute", "hour", "day", "all"] as const;

/**
 * Every prompt as a bar: waiting, running by step and tool, and its outcome. It moves along with
 * the present until somebody zooms or drags.
 */
export function Timeline(props: { bars: readonly Bar[]; isGrouped: boolean }): JSX.Element {
  let plot: HTMLDivElement | undefined;
  /** Null once somebody has zoomed or moved: then the window stays where it was put. */
  const [reach, setReach] = createSignal<Reach | null>(usualReach(props.bars, now()));
  const [view, setView] = createSignal<TimeWindow>(windowOf(props.bars, now(), "all"));
  createEffect(
    on([() => props.bars, now, reach], ([bars, time, chosen]) => {
      if (chosen !== null) setView(windowOf(bars, time, chosen));
    }),
  );
  const visible = createMemo(() => {
    const { from, to } = view();
    return props.bars.filter(
      ({ acceptedAt, settledAt }) => acceptedAt <= to && (settledAt ?? now()) >= from,
    );
  });
  const shown = createMemo(() => visible().slice(-mostRows));
  const groups = createMemo(() => {
    if (!props.isGrouped) return [{ sessionId: null, bars: shown() }];
    const found = new Map<string, Bar[]>();
    for (const bar of shown()) found.set(bar.sessionId, [...(found.get(bar.sessionId) ?? []), bar]);
    return [...found]
      .map(([sessionId, bars]) => ({ sessionId, bars }))
      .toSorted((left, right) => lastOf(right.bars) - lastOf(left.bars));
  });
  const change = (next: TimeWindow): void => {
    setReach(null);
    setView(next);
  };
  const timeAt = (clientX: number): number => {
    const box = plot?.getBoundingClientRect();
    if (box === undefined) return view().to;
    const share = (clientX - box.left) / box.width;
    return view().from + share * (view().to - view().from);
  };
  const pan = (share: number): void => {
    const by = (view().to - view().from) * share;
    change({ from: view().from + by, to: view().to + by });
  };
  const zoomBy = (factor: number): void => {
    change(zoom(view(), (view().from + view().to) / 2, factor));
  };
  const onWheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      change(zoom(view(), timeAt(event.clientX), event.deltaY > 0 ? 1.2 : 1 / 1.2));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan((event.deltaX === 0 ? event.deltaY : event.deltaX) / 1_000);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    const acts: Readonly<Record<string, () => void>> = {
      "+": () => zoomBy(0.5),
      "-": () => zoomBy(2),
      ArrowLeft: () => pan(-0.2),
      ArrowRight: () => pan(0.2),
      "0": () => setReach("all"),
    };
    const act = acts[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  };
  const showMessages = (bar: Bar): void => {
    setFocusTarget(promptEntryId(bar.promptId));
    go({ page: "session", sessionId: bar.sessionId });
  };
  return (
    <div class="timeline" onKeyDown={onKey}>
      <div class="timeline-tools">
        <Legend />
        <div class="segments" role="group" aria-label={t().timeline.zoom}>
          <For each={reaches}>
            {(each) => (
              <button
                type="button"
                class="segment"
                classList={{ chosen: reach() === each }}
                aria-pressed={reach() === each}
                onClick={() => setReach(each)}
              >
                {t().timeline.reaches[each]}
              </button>
            )}
          </For>
        </div>
        <IconButton icon="plus" label={t().timeline.zoomIn} onClick={() => zoomBy(0.5)} />
        <IconButton icon="minus" label={t().timeline.zoomOut} onClick={() => zoomBy(2)} />
      </div>
      <div
        class="timeline-rows"
        tabindex="0"
        role="region"
        aria-label={t().timeline.title}
        onWheel={onWheel}
      >
        <Axis window={view()} plot={(element) => (plot = element)} />
        <For each={groups()}>
          {(group) => (
            <section class="timeline-group">
              <Show when={group.sessionId}>
                {(sessionId) => (
                  <h2>
                    <button
                      type="button"
                      class="link-button"
                      onClick={() => go({ page: "sessionTimeline", sessionId: sessionId() })}
                    >
                      {sessions[sessionId()]?.title ?? t().sessions.untitled}
                    </button>
                  </h2>
                )}
              </Show>
              <For each={group.bars}>
                {(bar) => (
                  <TimelineBar bar={bar} window={view()} onPick={() => showMessages(bar)} />
                )}
              </For>
            </section>
          )}
        </For>
        <Show when={props.bars.length === 0}>
          <p class="page-message quiet">{t().timeline.empty}</p>
        </Show>
        <Show when={props.bars.length > 0 && visible().length === 0}>
          <p class="page-message quiet">{t().timeline.nothingHere}</p>
        </Show>
        <Show when={visible().length > shown().length}>
          <p class="page-message quiet">
            {t().timeline.more({ count: visible().length - shown().length })}
          </p>
        </Show>
      </div>
    </div>
  );
}

function lastOf(bars: readonly Bar[]): number {
  return Math.max(...bars.map(({ settledAt }) => settledAt ?? Number.MAX_SAFE_INTEGER));
}

function Axis(props: { window: TimeWindow; plot: (element: HTMLDivElement) => void }): JSX.Element {
  const width = (): number => props.window.to - props.window.from;
  return (
    <div class="timeline-axis" aria-hidden="true">
      <div class="timeline-plot" ref={(element) => props.plot(element)}>
        <For each={ticks(props.window, 8)}>
          {(at) => (
            <span class="tick" style={{ left: `${((at - props.window.from) / width()) * 100}%` }}>
              {tickText(at, width())}
            </span>
          )}
        </For>
      </div>
    </div>
  );
}

function tickText(at: number, width: number): string {
  const date = new Date(at);
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  const day = { month: "short", day: "numeric" } as const;
  if (width > 2 * 86_400_000) return date.toLocaleDateString(languageTag(), day);
  if (width > 600_000) return date.toLocaleTimeString(languageTag(), time);
  const seconds = { ...time, second: "2-digit", hourCycle: "h23" } as const;
  const text = date.toLocaleTimeString(languageTag(), seconds);
  return width > 5_000 ? text : `${text}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function Legend(): JSX.Element {
  return (
    <ul class="timeline-legend">
      <For each={["waiting", "model", "tool", "ask"] as const}>
        {(kind) => (
          <li>
            <span class={`swatch ${kind}`} aria-hidden="true" />
            {t().timeline.kinds[kind]}
          </li>
        )}
      </For>
    </ul>
  );
}
