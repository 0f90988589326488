import { createSignal } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { attempt } from "../state/show-error.ts";
import { copyText } from "./copy-text.ts";
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
