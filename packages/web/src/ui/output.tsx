import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { ansiSpans, withoutAnsi } from "../model/ansi.ts";
import { countLines, exactText, headOf, tailOf } from "@holdfast/model/visible-text.ts";
import { CopyButton } from "./copy-button.tsx";
import { saveFile } from "./save-file.ts";

const folded = { lines: 14, characters: 2_500 };
/** Numbers of lines and characters that each "Show more" adds. */
const unfolded = { lines: 1_500, characters: 150_000 };

/**
 * Output of a program. Only a part of long output is shown, with a button for more: the last lines if the output still
 * grows or `isTail` is set, otherwise the first lines.
 */
export function Output(props: {
  text: string;
  label: string;
  isGrowing?: boolean;
  /** Whether the end of the output is the most important part, as for a command. */
  isTail?: boolean;
  /** Whether the text is shown as it is, with its control characters, because a person decides by it. */
  isExact?: boolean;
  /** Loads the whole text. Given only if `text` is cut. */
  loadWhole?: (() => Promise<string>) | undefined;
}): JSX.Element {
  const [pages, setPages] = createSignal(0);
  const isCut = (): boolean => props.loadWhole !== undefined;
  // If the text is cut, its end is not loaded, so show its first lines.
  const isTail = (): boolean => (props.isGrowing ?? false) || ((props.isTail ?? false) && !isCut());
  const shown = createMemo(() => {
    const count = pages();
    const limits =
      count === 0
        ? folded
        : { lines: unfolded.lines * count, characters: unfolded.characters * count };
    return isTail() ? tailOf(props.text, limits) : headOf(props.text, limits);
  });
  const rest = createMemo(() => {
    if (shown().length >= props.text.length) return 0;
    return Math.max(1, countLines(props.text) - countLines(shown()));
  });
  const spans = createMemo(() => {
    if (props.isExact ?? false) return [{ text: exactText(shown()), look: "" }];
    // Pass the text before the shown part, because colors that were set there still apply.
    return isTail()
      ? ansiSpans(shown(), props.text.slice(0, props.text.length - shown().length).slice(-20_000))
      : ansiSpans(shown());
  });
  const showMore = async (): Promise<void> => {
    await props.loadWhole?.();
    setPages((count) => count + 1);
  };
  const whole = async (): Promise<string> => (await props.loadWhole?.()) ?? props.text;
  const save = async (): Promise<void> => saveFile(await whole(), `${props.label}.txt`);
  const more = (): JSX.Element => (
    <Show when={rest() > 0 || isCut()}>
      <button
        type="button"
        class="link-button"
        data-unfold
        // Ignore the error: it was already shown to the user.
        onClick={() => void showMore().catch(() => {})}
      >
        {isTail()
          ? t().conversation.showEarlier({ lines: rest() })
          : t().conversation.showMore({ lines: isCut() ? 0 : rest() })}
      </button>
    </Show>
  );
  return (
    <div class="output">
      <Show when={isTail()}>{more()}</Show>
      <div class="output-text">
        <pre tabindex="0" aria-label={props.label}>
          <For each={spans()}>{(span) => <span class={span.look}>{span.text}</span>}</For>
        </pre>
        <CopyButton text={async () => (props.isExact ? whole() : withoutAnsi(await whole()))} />
      </div>
      <div class="output-foot">
        <Show when={!isTail()}>{more()}</Show>
        <Show when={pages() > 0}>
          <button type="button" class="link-button" onClick={() => setPages(0)}>
            {t().conversation.showLess}
          </button>
        </Show>
        <Show when={rest() > unfolded.lines || isCut() || pages() > 1}>
          <button
            type="button"
            class="link-button"
            // Ignore the error: it was already shown to the user.
            onClick={() => void save().catch(() => {})}
          >
            {t().conversation.download}
          </button>
        </Show>
      </div>
    </div>
  );
}
