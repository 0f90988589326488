import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";

const folded = 40;
/** Rows to add with each "Show more", so that a very long diff does not freeze the page. */
const unfolded = 2_000;

/** Shows a unified diff of one file with line numbers. */
export function DiffView(props: {
  diff: string;
  path?: string;
  /** Counts of the whole change, if `diff` is only its beginning. */
  counts?: { readonly added: number; readonly removed: number } | null;
  /** Lines of the change that `diff` leaves out. */
  omitted?: number;
  /** Loads the whole diff. */
  onWhole?: () => void;
}): JSX.Element {
  const [shown, setShown] = createSignal(folded);
  const diff = createMemo(() => diffLines(props.diff));
  const lines = createMemo(() => diff().lines.slice(0, shown()));
  const rest = (): number => diff().lines.length - lines().length;
  const counts = () => props.counts ?? diff();
  const name = (): string => visibleText(diff().path === "" ? (props.path ?? "") : diff().path);
  return (
    <figure class="diff">
      <figcaption>
        <span class="diff-path">{name()}</span>
        <span class="diff-count">
          <span class="added">+{counts().added}</span>{" "}
          <span class="removed">−{counts().removed}</span>
        </span>
      </figcaption>
      <div class="diff-lines" tabindex="0" role="region" aria-label={name()}>
        <table>
          <tbody>
            <For each={lines()}>
              {(line) => (
                <tr class={line.kind}>
                  <td class="number">{line.before}</td>
                  <td class="number">{line.after}</td>
                  <td class="sign">
                    {line.kind === "add" ? "+" : line.kind === "remove" ? "−" : ""}
                  </td>
                  <td class="text">{visibleText(line.text)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <Show when={rest() > 0}>
        <button
          type="button"
          class="link-button"
          onClick={() => setShown((before) => (before === folded ? 0 : before) + unfolded)}
        >
          {t().conversation.showMore({ lines: Math.min(rest(), unfolded) })}
        </button>
      </Show>
      <Show when={rest() === 0 && (props.omitted ?? 0) > 0}>
        <p class="diff-omitted">
          <span>{t().diff.omitted({ lines: props.omitted ?? 0 })}</span>
          <button type="button" class="link-button" onClick={() => props.onWhole?.()}>
            {t().diff.all}
          </button>
        </p>
      </Show>
    </figure>
  );
}
