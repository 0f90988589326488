import { createUniqueId, onMount } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { IconButton } from "./icon.tsx";

/** A modal dialog. Esc, its button, or a click outside closes it. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: JSX.Element;
  class?: string;
}): JSX.Element {
  let element: HTMLDialogElement | undefined;
  const titleId = createUniqueId();
  onMount(() => element?.showModal());
  return (
    <dialog
      ref={element}
      class={`dialog ${props.class ?? ""}`}
      aria-labelledby={titleId}
      onClose={() => props.onClose()}
      onClick={(event) => {
        if (event.target === element) element?.close();
      }}
    >
      <div class="dialog-frame">
        <header class="dialog-head">
          <h2 id={titleId}>{props.title}</h2>
          <IconButton icon="close" label={t().app.close} onClick={() => element?.close()} />
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
