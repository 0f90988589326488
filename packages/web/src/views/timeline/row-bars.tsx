import { createMemo, For, Match, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { groupBars } from "@holdfast/model/group-bars.ts";
import { areSameIds } from "@holdfast/model/same-ids.ts";
import { BarGroup } from "./bar-group.tsx";
import { BarView } from "./bar-view.tsx";
import type { ChartState } from "./chart-state.ts";
import { barKey } from "./placed-bar.ts";
import type { ChartRow, PlacedBar } from "./placed-bar.ts";

/** Width of the margins beside the visible part in which bars are drawn too, as a share of the chart width. */
const margin = 0.02;
/** Gap between a caption and the next bar, as a share of the chart width. */
const captionGap = 0.006;

/** Bars that are drawn as one block, and the space up to the next block as a share of the chart width. */
interface Drawn {
  readonly bars: readonly PlacedBar[];
  readonly room: number;
}

/** The bars of one row. Bars that are too narrow to tell apart are drawn as a group. */
export function RowBars(props: {
  row: ChartRow;
  bars: ReadonlyMap<string, PlacedBar>;
  chart: ChartState;
  hasCaptions: boolean;
}): JSX.Element {
  const drawn = createMemo(() => drawnBars(props));
  const keys = createMemo(() => [...drawn().keys()], [], { equals: areSameIds });
  const textOf = (promptId: string) =>
    props.bars.get(barKey(props.row.sessionId, promptId))?.text ?? null;
  const single = (key: string) => {
    const found = drawn().get(key);
    const [bar, ...others] = found?.bars ?? [];
    return bar === undefined || others.length > 0 ? null : { bar, room: found?.room ?? 0 };
  };
  const group = (key: string) => {
    const bars = drawn().get(key)?.bars ?? [];
    return bars.length > 1 ? bars : null;
  };
  return (
    <For each={keys()}>
      {(key) => (
        <Switch>
          <Match when={single(key)}>
            {(found) => (
              <BarView
                bar={found().bar}
                chart={props.chart}
                textOf={textOf}
                captionRoom={props.hasCaptions ? found().room : null}
              />
            )}
          </Match>
          <Match when={group(key)}>
            {(bars) => <BarGroup bars={bars()} chart={props.chart} />}
          </Match>
        </Switch>
      )}
    </For>
  );
}

/** Groups the visible bars of a row. The key of each group is the key of its first bar. */
function drawnBars(props: {
  row: ChartRow;
  bars: ReadonlyMap<string, PlacedBar>;
  chart: ChartState;
}): ReadonlyMap<string, Drawn> {
  const { chart } = props;
  const placed = props.row.bars.flatMap((key) => {
    const bar = props.bars.get(key);
    if (bar === undefined) return [];
    const left = chart.x(bar.from);
    const right = chart.x(bar.to ?? chart.now());
    if (right < -margin || left > 1 + margin) return [];
    return [{ bar, left, right, isAlone: chart.selected() === key }];
  });
  const groups = groupBars(placed);
  return new Map(
    groups.map((group, place) => {
      const [first] = group;
      const next = groups[place + 1]?.[0];
      const room = (next === undefined ? 1 : next.left - captionGap) - (first?.left ?? 0);
      return [first?.bar.key ?? "", { bars: group.map(({ bar }) => bar), room }] as const;
    }),
  );
}
