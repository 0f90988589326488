import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { Bar, Span, TimeWindow } from "../../model/timeline.ts";
import { headOf, visibleText } from "../../model/visible-text.ts";
import { duration, fullTime, now } from "../../ui/time.tsx";

/** One prompt in time. */
export function TimelineBar(props: {
  bar: Bar;
  window: TimeWindow;
  onPick: () => void;
}): JSX.Element {
  const text = createMemo(() =>
    visibleText(headOf(props.bar.text, { lines: 1, characters: 120 })).trim(),
  );
  const end = (): number => props.bar.settledAt ?? now();
  const waitedUntil = (): number => props.bar.enteredAt ?? end();
  const place = (from: number, to: number): JSX.CSSProperties => {
    const width = props.window.to - props.window.from;
    const left = Math.max(0, (from - props.window.from) / width);
    const right = Math.min(1, (to - props.window.from) / width);
    const size = `max(2px, ${Math.max(0, right - left) * 100}%)`;
    return { left: `${left * 100}%`, width: size };
  };
  const isSeen = (from: number, to: number): boolean =>
    to >= props.window.from && from <= props.window.to;
  const status = (): string => {
    const { outcome, enteredAt, joined } = props.bar;
    if (outcome !== null) return outcome.status;
    if (enteredAt === null) return "waiting";
    return joined === null ? "running" : "joined";
  };
  return (
    <button type="button" class={`timeline-bar ${status()}`} onClick={() => props.onPick()}>
      <span class="timeline-label">
        <span class={`outcome-mark ${status()}`} aria-hidden="true" />
        <span class="timeline-text">{text()}</span>
      </span>
      <span class="timeline-plot" title={describe(props.bar)}>
        <Show
          when={waitedUntil() > props.bar.acceptedAt && isSeen(props.bar.acceptedAt, waitedUntil())}
        >
          <span class="span waiting" style={place(props.bar.acceptedAt, waitedUntil())} />
        </Show>
        <Show when={props.bar.enteredAt}>
          {(entered) => (
            <Show when={isSeen(entered(), end())}>
              <span
                class="span run"
                classList={{ joined: props.bar.joined !== null }}
                style={place(entered(), end())}
              />
            </Show>
          )}
        </Show>
        <For each={props.bar.spans}>
          {(span) => (
            <Show when={isSeen(span.from, span.to ?? end())}>
              <span
                class={`span ${span.kind} ${span.status ?? ""}`}
                title={spanText(span, end())}
                style={place(span.from, span.to ?? end())}
              />
            </Show>
          )}
        </For>
        <Show when={props.bar.settledAt}>
          {(at) => (
            <Show when={isSeen(at(), at())}>
              <span class={`end ${status()}`} style={{ left: place(at(), at()).left ?? "0" }} />
            </Show>
          )}
        </Show>
      </span>
      <span class="timeline-time">{duration(end() - props.bar.acceptedAt)}</span>
      <span class="hidden-text">{describe(props.bar)}</span>
    </button>
  );
}

/** What the bar shows, in words. */
function describe(bar: Bar): string {
  const words = t().timeline;
  const end = bar.settledAt ?? now();
  const parts = [fullTime(bar.acceptedAt)];
  parts.push(words.waited({ time: duration((bar.enteredAt ?? end) - bar.acceptedAt) }));
  if (bar.joined !== null) parts.push(words.joined);
  else if (bar.enteredAt !== null) parts.push(words.ran({ time: duration(end - bar.enteredAt) }));
  if (bar.outcome !== null) {
    const { status, reason } = bar.outcome;
    const why = reason === null ? "" : `: ${t().reasons[reason]}`;
    parts.push(`${t().outcome[status]}${why}`);
  }
  return parts.join(" · ");
}

function spanText(span: Span, end: number): string {
  const length = duration((span.to ?? end) - span.from);
  const words = t().timeline;
  switch (span.kind) {
    case "model":
      return `${words.step({ step: span.label })} · ${length}`;
    case "ask":
      return `${words.kinds.ask}: ${visibleText(span.label)} · ${length}`;
    case "tool": {
      const status = span.status === null ? "" : ` · ${t().calls.status[span.status]}`;
      return `${span.label} · ${length}${status}`;
    }
  }
}
