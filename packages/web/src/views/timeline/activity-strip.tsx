import { createMemo, Index, Show } from "solid-js";
import type { JSX } from "solid-js";
import { recentActivity } from "@holdfast/model/recent-activity.ts";
import { buildTimeline } from "@holdfast/model/timeline.ts";
import { t } from "../../i18n/text.ts";
import type { OpenSession } from "../../state/open-session.ts";
import { throttled } from "../../state/throttled.ts";
import { duration, now } from "../../ui/time.tsx";
import { Link } from "../link.tsx";
import { percent } from "./chart-state.ts";

const minutes = 5;
const cells = 120;
/** The label of the bar leaves out activities that took fewer milliseconds than this. */
const shortest = 100;
const redrawEvery = 1_000;

/**
 * Shows the activity of the session in the last minutes as a small bar that opens the timeline. Hidden if the session
 * was idle.
 */
export function ActivityStrip(props: { open: OpenSession }): JSX.Element {
  const conversation = throttled(props.open.conversation, redrawEvery);
  const timeline = createMemo(() => buildTimeline(conversation()));
  const recent = createMemo(() => {
    // The latest event can be newer than the last update of the clock.
    const end = Math.max(now(), lastMoment(timeline().bars));
    return recentActivity(timeline().bars, { since: end - minutes * 60_000, now: end, cells });
  });
  const label = () =>
    t().timeline.strip({
      minutes,
      parts: noteworthy(recent().times)
        .map(({ kind, time }) => `${t().timeline.kinds[kind]} ${duration(time)}`)
        .join(", "),
    });
  return (
    <Show when={recent().parts.length > 0}>
      <Link
        class="activity-strip"
        to={{ page: "sessionTimeline", sessionId: props.open.sessionId }}
        title={label()}
      >
        <span class="hidden-text">{label()}</span>
        <span class="strip-line" aria-hidden="true">
          <Index each={recent().parts}>
            {(part) => (
              <span
                class={`swatch ${part().kind}`}
                style={{ left: percent(part().from), width: percent(part().to - part().from) }}
              />
            )}
          </Index>
        </span>
      </Link>
    </Show>
  );
}

/** Leaves out very short activities, unless all are very short. */
function noteworthy<Part extends { readonly time: number }>(parts: readonly Part[]) {
  const long = parts.filter(({ time }) => time >= shortest);
  return long.length > 0 ? long : parts;
}

function lastMoment(bars: readonly { from: number; to: number | null }[]): number {
  return bars.reduce((last, { from, to }) => Math.max(last, to ?? from), 0);
}
