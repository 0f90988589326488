import { createMemo, createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { whole } from "./numbers.ts";
import { DiffTable, folded, unfolded } from "./diff-table.tsx";

/** Shows a unified diff with the names of its files and the counts of changed lines. */
export function DiffView(props: {
  diff: string;
  path?: string;
  /** Numbers of changed lines of the whole change, if `diff` is only its beginning. */
  counts?: { readonly added: number; readonly removed: number } | null;
  /** Number of lines of the change that `diff` leaves out. */
  omitted?: number;
  /** Loads the whole diff. */
  onWhole?: () => void;
}): JSX.Element {
  const diff = createMemo(() => diffLines(props.diff));
  const counts = () => props.counts ?? diff();
  const path = (): string => (diff().path === "" ? (props.path ?? "") : diff().path);
  const name = (): string =>
    visibleText(diff().paths.length > 1 ? diff().paths.join(", ") : path());
  // Unfold the diff too. Otherwise the button would seem to have no effect on a folded one.
  const [isWanted, setWanted] = createSignal(false);
  const showWhole = (): void => {
    setWanted(true);
    props.onWhole?.();
  };
  return (
    <figure class="diff">
      <figcaption>
        <span class="diff-path">{name()}</span>
        <DiffCounts added={counts().added} removed={counts().removed} />
      </figcaption>
      <DiffTable
        lines={diff().lines}
        path={path()}
        label={name()}
        first={isWanted() ? unfolded : folded}
      />
      <Show when={(props.omitted ?? 0) > 0}>
        <p class="diff-omitted">
          <span>{t().diff.omitted({ lines: props.omitted ?? 0 })}</span>
          <button type="button" class="link-button" onClick={showWhole}>
            {t().diff.all}
          </button>
        </p>
      </Show>
    </figure>
  );
}

/** Shows the numbers of added and removed lines. */
export function DiffCounts(props: { added: number; removed: number }): JSX.Element {
  return (
    <span class="diff-count">
      <span class="added">+{whole(props.added)}</span>{" "}
      <span class="removed">−{whole(props.removed)}</span>
    </span>
  );
}
