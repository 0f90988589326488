import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { IconButton } from "../../ui/icon.tsx";
import type { ChartState } from "./chart-state.ts";

/** Zoom buttons, for use without a mouse wheel. */
export function ZoomButtons(props: { chart: ChartState }): JSX.Element {
  return (
    <div class="chart-zoom">
      <IconButton
        icon="minus"
        label={t().timeline.zoomOut}
        disabled={props.chart.isWhole()}
        onClick={() => props.chart.zoom(2)}
      />
      <IconButton icon="plus" label={t().timeline.zoomIn} onClick={() => props.chart.zoom(0.5)} />
      <button
        type="button"
        class="button small"
        disabled={props.chart.isWhole()}
        onClick={() => props.chart.whole()}
      >
        {t().timeline.whole}
      </button>
    </div>
  );
}
