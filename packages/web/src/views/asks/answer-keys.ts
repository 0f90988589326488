import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { letterKeys } from "../../state/settings.ts";
import { isWriting } from "../../ui/is-writing.ts";

/** Milliseconds without any typing that must pass before a letter key can answer an ask. */
const quietTime = 1_000;

/**
 * Whether a letter key may answer an ask now. The ask must be the first one (`isFirst`), and it must have been on the
 * page for a while without any typing, so that a letter of a text cannot answer it. Buttons show their key only while
 * this is true.
 */
export function createAnswerKeys(isFirst: Accessor<boolean>): Accessor<boolean> {
  const [isReady, setReady] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restart = (): void => {
    clearTimeout(timer);
    setReady(false);
    if (isFirst() && letterKeys()) timer = setTimeout(() => setReady(true), quietTime);
  };
  const onKey = (event: KeyboardEvent): void => {
    const isTyped = event.key.length === 1 || event.key === "Process" || event.isComposing;
    if (!isTyped || event.ctrlKey || event.metaKey) return;
    const isAnswer = isReady() && "yx".includes(event.key) && !isWriting(event.target);
    if (!isAnswer) restart();
  };
  createEffect(on([isFirst, letterKeys], restart));
  addEventListener("keydown", onKey, true);
  onCleanup(() => {
    clearTimeout(timer);
    removeEventListener("keydown", onKey, true);
  });
  return isReady;
}
