import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { ansiSpans } from "../model/ansi.ts";
import { countLines, headOf, tailOf } from "@holdfast/model/visible-text.ts";
import { saveFile } from "./save-file.ts";

const folded = { lines: 14, characters: 2_500 };
/** Amount of text that each "Show more" adds. */
const unfolded = { lines: 1_500, characters: 150_000 };

/**
 * Output of a program. Long output is shortened behind a button. While the output grows, only its last lines are
 * shown.
 */
export function Output(props: {
  text: string;
  label: string;
  isGrowing?: boolean;
  /** Loads the whole text. Given only if `text` is cut. */
  loadWhole?: (() => Promise<string>) | undefined;
}): JSX.Element {
  const [pages, setPages] = createSignal(0);
  const shown = createMemo(() => {
    if (props.isGrowing === true && pages() === 0) return tailOf(props.text, folded);
    const limits =
      pages() === 0
        ? folded
        : { lines: unfolded.lines * pages(), characters: unfolded.characters * pages() };
    return headOf(props.text, limits);
  });
  const rest = createMemo(() => {
    if (shown().length >= props.text.length) return 0;
    return Math.max(1, countLines(props.text) - countLines(shown()));
  });
  const spans = createMemo(() => ansiSpans(shown()));
  const isCut = (): boolean => props.loadWhole !== undefined;
  const showMore = async (): Promise<void> => {
    await props.loadWhole?.();
    setPages((count) => count + 1);
  };
  const save = async (): Promise<void> =>
    saveFile((await props.loadWhole?.()) ?? props.text, `${props.label}.txt`);
  return (
    <div class="output">
      <pre tabindex="0" aria-label={props.label}>
        <For each={spans()}>{(span) => <span class={span.look}>{span.text}</span>}</For>
      </pre>
      <div class="output-foot">
        <Show when={rest() > 0 || isCut()}>
          <button
            type="button"
            class="link-button"
            data-unfold
            // A failure was already shown to the user.
            onClick={() => void showMore().catch(() => {})}
          >
            {t().conversation.showMore({ lines: isCut() ? 0 : rest() })}
          </button>
        </Show>
        <Show when={pages() > 0}>
          <button type="button" class="link-button" onClick={() => setPages(0)}>
            {t().conversation.showLess}
          </button>
        </Show>
        <Show when={rest() > unfolded.lines || isCut() || pages() > 1}>
          <button
            type="button"
            class="link-button"
            // A failure was already shown to the user.
            onClick={() => void save().catch(() => {})}
          >
            {t().conversation.download}
          </button>
        </Show>
      </div>
    </div>
  );
}
