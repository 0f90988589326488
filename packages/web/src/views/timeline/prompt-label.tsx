import type { JSX } from "solid-js";
import type { ChartState } from "./chart-state.ts";
import type { PlacedBar } from "./placed-bar.ts";
import { stateText, titleOf } from "./bar-text.ts";
import type { TextOf } from "./bar-text.ts";

/** Text and state of a prompt. */
export function PromptLabel(props: {
  bar: PlacedBar;
  chart: ChartState;
  textOf: TextOf;
}): JSX.Element {
  return (
    <div
      class={`prompt-label ${props.bar.stage} ${props.bar.outcome?.status ?? ""}`}
      onClick={() => props.chart.select(props.bar.key)}
    >
      <span class="label-title" title={titleOf(props.bar)}>
        {titleOf(props.bar)}
      </span>
      <span class="label-story">{stateText(props.bar, props.chart.now(), props.textOf)}</span>
    </div>
  );
}
