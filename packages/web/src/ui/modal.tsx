import { onCleanup, onMount } from "solid-js";
import type { JSX } from "solid-js";

/** Control of an open modal element. `close` has the same effect as its close button or Esc. */
export interface ModalControl {
  close(): void;
  readonly element: HTMLElement;
}

/** Frame of dialogs and other elements above the page. Esc or a click outside closes it. */
export function Modal(props: {
  class: string;
  /** Name for screen readers, if no element of the modal contains its title. */
  label?: string;
  /** Id of the element with the title. */
  labelledBy?: string;
  onClose: () => void;
  /** Called when the modal opens, with an object that can close the modal. */
  control: (control: ModalControl) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: JSX.Element;
}): JSX.Element {
  let element: HTMLDialogElement | undefined;
  let isClosed = false;
  // Call onClose immediately, and never after this element was removed. The browser sends its own close event later,
  // when a key press may have opened the next dialog already.
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    element?.close();
    props.onClose();
  };
  onCleanup(() => {
    isClosed = true;
  });
  onMount(() => {
    if (element === undefined) return;
    props.control({ close, element });
    element.showModal();
  });
  return (
    <dialog
      ref={element}
      class={`dialog ${props.class}`}
      aria-label={props.label}
      aria-labelledby={props.labelledBy}
      onClose={close}
      onClick={(event) => {
        if (event.target === element) close();
      }}
    >
      <div class="dialog-frame" onKeyDown={(event) => props.onKeyDown?.(event)}>
        {props.children}
      </div>
    </dialog>
  );
}
