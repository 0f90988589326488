import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { go } from "../../state/router.ts";
import { hideHint, showHint } from "../../ui/hint.tsx";
import { titleOf } from "./bar-text.ts";
import { percent } from "./chart-state.ts";
import type { ChartState } from "./chart-state.ts";
import type { PlacedBar } from "./placed-bar.ts";

/** Minimum width of a block that stands for several prompts, as a share of the chart width. */
const least = 0.01;
/** Number of prompts that the tooltip names. */
const named = 3;

/**
 * Several prompts that are drawn as one block. A click zooms in, or opens the timeline of the session if the prompts
 * overlap.
 */
export function BarGroup(props: { bars: readonly PlacedBar[]; chart: ChartState }): JSX.Element {
  const from = () => Math.min(...props.bars.map((bar) => bar.from));
  const to = () => Math.max(...props.bars.map((bar) => bar.to ?? props.chart.now()));
  const left = () => props.chart.x(from());
  const width = () => Math.max(least, props.chart.x(to()) - left());
  const failed = () => props.bars.filter(({ outcome }) => outcome?.status === "failed").length;
  const label = () => t().timeline.group({ count: props.bars.length, failed: failed() });
  const hint = () => {
    const titles = props.bars.slice(0, named).map((bar) => `“${titleOf(bar)}”`);
    const rest = props.bars.length - titles.length;
    return `${label()}: ${titles.join(", ")}${rest > 0 ? " …" : ""}`;
  };
  const open = (): void => {
    hideHint();
    const [first] = props.bars;
    if (first === undefined) return;
    if (!areApart(props.bars)) go({ page: "sessionTimeline", sessionId: first.sessionId });
    else props.chart.lookAt({ from: from(), to: to() });
  };
  return (
    <button
      type="button"
      class="bar-group"
      classList={{ failed: failed() > 0 }}
      style={{ left: percent(left()), width: percent(width()) }}
      onClick={open}
      onPointerMove={(event) => showHint(event, hint())}
      onPointerLeave={hideHint}
    >
      <span class="hidden-text">{hint()}</span>
      <span class="group-count" aria-hidden="true">
        {props.bars.length}
      </span>
    </button>
  );
}

/** True if each prompt begins after the one before it has ended, so that zooming in separates them. */
function areApart(bars: readonly PlacedBar[]): boolean {
  return bars.every(({ from }, place) => {
    const before = bars[place - 1];
    return before === undefined || (before.to !== null && before.to <= from);
  });
}
