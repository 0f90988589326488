import { createUniqueId } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { IconButton } from "./icon.tsx";
import { Modal } from "./modal.tsx";
import type { ModalControl } from "./modal.tsx";

/** A modal dialog with a title and a button that closes it. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: JSX.Element;
  class?: string;
}): JSX.Element {
  let modal: ModalControl | undefined;
  const titleId = createUniqueId();
  return (
    <Modal
      class={props.class ?? ""}
      labelledBy={titleId}
      onClose={() => props.onClose()}
      control={(given) => (modal = given)}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{props.title}</h2>
        <IconButton icon="close" label={t().app.close} onClick={() => modal?.close()} />
      </header>
      {props.children}
    </Modal>
  );
}
