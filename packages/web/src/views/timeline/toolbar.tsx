import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { lengthOf } from "@holdfast/model/timeline.ts";
import { duration } from "../../ui/time.tsx";
import type { ChartState } from "./chart-state.ts";
import type { PlacedBar } from "./placed-bar.ts";

const kinds = ["waiting", "model", "tool", "asking", "held", "cutOff"] as const;

/** Shows the key numbers and the color legend. */
export function Toolbar(props: { chart: ChartState; bars: readonly PlacedBar[] }): JSX.Element {
  const inStage = (stage: PlacedBar["stage"]): number =>
    props.bars.filter((bar) => bar.stage === stage).length;
  const longest = (length: (bar: PlacedBar) => number): string =>
    duration(Math.max(0, ...props.bars.map(length)));
  return (
    <div class="chart-toolbar">
      <dl class="chart-numbers">
        <Number name={t().timeline.prompts} value={String(props.bars.length)} />
        <Number name={t().timeline.nowRunning} value={String(inStage("running"))} />
        <Number name={t().timeline.nowWaiting} value={String(inStage("waiting"))} />
        <Number
          name={t().timeline.longestWait}
          value={longest((bar) => lengthOf(bar.waiting, props.chart.now()))}
        />
        <Number
          name={t().timeline.longestRun}
          value={longest((bar) =>
            bar.active === null ? 0 : lengthOf(bar.active, props.chart.now()),
          )}
        />
      </dl>
      <ul class="chart-legend" aria-label={t().timeline.legend}>
        <For each={kinds}>
          {(kind) => (
            <li>
              <span class={`swatch ${kind}`} />
              {t().timeline.kinds[kind]}
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}

function Number(props: { name: string; value: string }): JSX.Element {
  return (
    <div class="number-item">
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
