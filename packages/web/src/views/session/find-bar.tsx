import { findText, maxMatches } from "@holdfast/model/find-text.ts";
import type { TextMatch } from "@holdfast/model/find-text.ts";
import { createEffect, createMemo, createSignal, on, onMount } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { attempt } from "../../state/show-error.ts";
import { IconButton } from "../../ui/icon.tsx";
import type { TextMarks } from "../../ui/text-marks.ts";
import { revealText, scrollToRange } from "./reveal-text.ts";
import { useSession } from "./session-context.ts";

/** Finds a text in the conversation, even in messages that are not on screen. Loads all earlier messages. */
export function FindBar(props: {
  list: () => HTMLElement | null;
  marks: TextMarks;
  toRow: (entryId: string) => void;
  onClose: () => void;
}): JSX.Element {
  const open = useSession();
  let input: HTMLInputElement | undefined;
  const [words, setWords] = createSignal("");
  const [chosen, setChosen] = createSignal<TextMatch | null>(null);
  const [isLoading, setLoading] = createSignal(false);
  const matches = createMemo(() =>
    findText([...open.origin(), ...open.conversation().entries], words()),
  );
  /** Index of the chosen match. At first, this is the last match, because the end of the conversation is shown. */
  const place = createMemo(() => {
    const match = chosen();
    const found = match === null ? -1 : matches().findIndex((each) => isSame(each, match));
    return found === -1 ? matches().length - 1 : found;
  });
  const current = createMemo(() => matches()[place()] ?? null, null, { equals: isSame });
  onMount(() => input?.focus());
  let shown = 0;
  const show = async (match: TextMatch | null): Promise<void> => {
    const list = props.list();
    const own = (shown += 1);
    if (match === null || list === null) return props.marks.showCurrent(null);
    props.toRow(match.entryId);
    const ranges = await revealText(list, { ...match, words: [words()] });
    if (own !== shown) return;
    const range = ranges[Math.min(match.index, ranges.length - 1)] ?? null;
    props.marks.showCurrent(range);
    if (range !== null) await scrollToRange(list, range);
  };
  const loadAll = async (): Promise<void> => {
    if (!open.hasEarlier() || isLoading()) return;
    setLoading(true);
    try {
      await open.reach(1);
    } finally {
      setLoading(false);
    }
  };
  createEffect(
    on(words, (typed) => {
      props.marks.show([typed]);
      if (typed !== "") void attempt(loadAll);
    }),
  );
  createEffect(
    on([words, current], ([, match]) => {
      // Keep this match chosen, so that the list does not scroll when more matches are found.
      setChosen(match);
      void show(match);
    }),
  );
  const type = (typed: string): void => {
    setChosen(null);
    setWords(typed);
  };
  const step = (by: number): void => {
    const count = matches().length;
    setChosen(matches()[(place() + by + count) % Math.max(1, count)] ?? null);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "Escape") props.onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const status = (): string => {
    if (words() === "") return "";
    if (matches().length > 0) {
      const count = matches().length;
      return t().find.place({ place: place() + 1, count, isMost: count >= maxMatches });
    }
    return isLoading() ? t().conversation.earlier : t().find.none;
  };
  return (
    <search class="find-bar" onKeyDown={onKey}>
      <input
        ref={input}
        id="find-input"
        type="text"
        placeholder={t().find.placeholder}
        aria-label={t().find.placeholder}
        spellcheck={false}
        autocomplete="off"
        dir="auto"
        value={words()}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <span class="find-count" role="status">
        {status()}
      </span>
      <IconButton icon="arrowUp" label={t().find.previous} onClick={() => step(-1)} />
      <IconButton icon="arrowDown" label={t().find.next} onClick={() => step(1)} />
      <IconButton icon="close" label={t().app.close} onClick={() => props.onClose()} />
    </search>
  );
}

function isSame(one: TextMatch | null, other: TextMatch | null): boolean {
  return (
    one?.entryId === other?.entryId && one?.callId === other?.callId && one?.index === other?.index
  );
}
