import { createSignal } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { attempt } from "../state/show-error.ts";
import { IconButton } from "./icon.tsx";

export function CopyButton(props: {
  text: () => string | Promise<string>;
  label?: string;
}): JSX.Element {
  const [isDone, setDone] = createSignal(false);
  const copy = async (button: Element): Promise<void> => {
    await copyText(await props.text(), button);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <IconButton
      class="copy-button"
      icon={isDone() ? "check" : "copy"}
      label={isDone() ? t().app.copied : (props.label ?? t().app.copy)}
      onClick={({ currentTarget }) => void attempt(() => copy(currentTarget))}
    />
  );
}

/**
 * Copies a text to the clipboard. A page that was loaded over plain http from another machine has no clipboard API, so
 * there the text is selected in a hidden field. `near`: an element that has the focus or contains it, because a modal
 * dialog makes fields outside of it unusable.
 */
async function copyText(text: string, near: Element): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "hidden-text";
  const focused = document.activeElement;
  (near.closest("dialog") ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!isCopied) throw new Error(t().app.copyFailed);
}
