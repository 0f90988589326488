import { createMemo, For, onCleanup, onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { breakdown } from "@holdfast/model/breakdown.ts";
import { lengthOf } from "@holdfast/model/timeline.ts";
import { go } from "../../state/router.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { clockTime, duration, fullTime } from "../../ui/time.tsx";
import { Link } from "../link.tsx";
import { saveReport } from "../session-actions.tsx";
import { setFocusTarget } from "../session/focus-target.ts";
import { percent } from "./chart-state.ts";
import type { ChartState } from "./chart-state.ts";
import type { PlacedBar } from "./placed-bar.ts";
import { namedText, shareName, stateText, titleOf } from "./bar-text.ts";
import type { TextOf } from "./bar-text.ts";

/** Details of a prompt: how its time was spent, and which prompts it waited for. */
export function BarDetail(props: {
  bar: PlacedBar;
  chart: ChartState;
  textOf: TextOf;
}): JSX.Element {
  const now = () => props.chart.now();
  const shares = createMemo(() => breakdown(props.bar, now()));
  const total = () => Math.max(1, lengthOf(props.bar, now()));
  onMount(() => {
    // Listen in the capture phase, so that Esc only closes this panel and does not stop the session's run.
    const close = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      props.chart.select(null);
    };
    addEventListener("keydown", close, { capture: true });
    onCleanup(() => removeEventListener("keydown", close, { capture: true }));
  });
  const children = () =>
    props.bar.segments.map(({ childSessionId }) => childSessionId).filter((id) => id !== null);
  return (
    <section class="bar-detail" aria-label={t().timeline.detail}>
      <header>
        <div class="detail-words">
          <h2>{titleOf(props.bar)}</h2>
          <p>
            <time
              datetime={new Date(props.bar.from).toISOString()}
              title={fullTime(props.bar.from)}
            >
              {clockTime(props.bar.from)}
            </time>
            {" · "}
            {[...namedText(props.bar), stateText(props.bar, now(), props.textOf)].join(" · ")}
          </p>
        </div>
        <div class="detail-actions">
          <button type="button" class="button small" onClick={() => props.chart.lookAt(props.bar)}>
            {t().timeline.zoomTo}
          </button>
          <Show
            when={props.bar.stage === "settled" && props.bar.joined === null && props.bar.runId}
          >
            {(runId) => (
              <button
                type="button"
                class="button small"
                onClick={() => void saveReport({ sessionId: props.bar.sessionId, runId: runId() })}
              >
                {t().timeline.report}
              </button>
            )}
          </Show>
          <button
            type="button"
            class="button small primary"
            onClick={() => {
              const { sessionId, promptId } = props.bar;
              setFocusTarget({ sessionId, at: { promptId } });
              go({ page: "session", sessionId });
            }}
          >
            {t().timeline.toMessages}
          </button>
          <IconButton icon="close" label={t().app.close} onClick={() => props.chart.select(null)} />
        </div>
      </header>
      <div class="share-bar" aria-hidden="true">
        <For each={shares()}>
          {(share) => (
            <span class={`swatch ${share.kind}`} style={{ width: percent(share.time / total()) }} />
          )}
        </For>
      </div>
      <ul class="share-list">
        <For each={shares()}>
          {(share) => (
            <li>
              <span class={`swatch ${share.kind}`} />
              <span class="share-name">{shareName(share)}</span>
              <span class="share-time">{duration(share.time)}</span>
              <span class="share-part">{Math.round((share.time / total()) * 100)}%</span>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.bar.behind.length > 0}>
        <p class="detail-behind">
          {t().timeline.waitedBehind}
          <For each={props.bar.behind}>
            {({ promptId, span }) => (
              <span class="behind-one">
                {titleOf({ text: props.textOf(promptId) })} ({duration(lengthOf(span, now()))})
              </span>
            )}
          </For>
        </p>
      </Show>
      <Show when={children().length > 0}>
        <p class="detail-behind">
          <For each={children()}>
            {(sessionId) => (
              <Link class="parent-link" to={{ page: "sessionTimeline", sessionId }}>
                <Icon name="branch" size={12} />
                {t().timeline.childTimeline}
              </Link>
            )}
          </For>
        </p>
      </Show>
    </section>
  );
}
