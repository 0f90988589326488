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
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(await props.text());
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <IconButton
      class="copy-button"
      icon={isDone() ? "check" : "copy"}
      label={isDone() ? t().app.copied : (props.label ?? t().app.copy)}
      onClick={() => void attempt(copy)}
    />
  );
}
