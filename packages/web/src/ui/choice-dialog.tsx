import { createEffect, createSignal, createUniqueId, For, on, onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

/** An entry of the list. */
export interface Choice {
  readonly label: string;
  readonly detail: string;
  readonly icon: IconName;
  /** Heading above the first entry of a group. */
  readonly group?: string;
  /** True if the dialog stays open, for example to show another list. */
  readonly keepsOpen?: boolean;
  readonly run: () => void;
}

/** A dialog with a text field and a list that the text filters. Keys and the pointer choose an entry. */
export function ChoiceDialog(props: {
  label: string;
  placeholder: string;
  typed: string;
  onType: (typed: string) => void;
  choices: readonly Choice[];
  /** Shown if the list is empty. */
  empty: string;
  /** Elements below the list. */
  foot?: JSX.Element;
  onClose: () => void;
}): JSX.Element {
  let dialog: HTMLDialogElement | undefined;
  const list = createUniqueId();
  const [place, setPlace] = createSignal(0);
  const pick = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    if (choice.keepsOpen !== true) dialog?.close();
    choice.run();
  };
  onMount(() => dialog?.showModal());
  createEffect(
    on(
      () => props.choices.length,
      (count) => setPlace((before) => Math.min(before, Math.max(0, count - 1))),
    ),
  );
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isInList = event.target instanceof HTMLInputElement;
    const count = Math.max(1, props.choices.length);
    if (event.key === "ArrowDown") setPlace((before) => (before + 1) % count);
    else if (event.key === "ArrowUp") setPlace((before) => (before - 1 + count) % count);
    else if (event.key === "Enter" && isInList) pick(props.choices[place()]);
    else return;
    event.preventDefault();
    dialog?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label={props.label}
      onClose={() => props.onClose()}
      onClick={(event) => {
        if (event.target === dialog) dialog?.close();
      }}
    >
      <div class="dialog-frame" onKeyDown={onKey}>
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={`${list}-${place()}`}
          placeholder={props.placeholder}
          aria-label={props.placeholder}
          spellcheck={false}
          autocomplete="off"
          value={props.typed}
          onInput={(event) => {
            setPlace(0);
            props.onType(event.currentTarget.value);
          }}
        />
        <ul id={list} role="listbox" aria-label={props.label}>
          <For each={props.choices}>
            {(choice, index) => (
              <>
                <Show when={choice.group !== props.choices[index() - 1]?.group && choice.group}>
                  {(group) => (
                    <li class="palette-group" role="presentation">
                      {group()}
                    </li>
                  )}
                </Show>
                <li
                  id={`${list}-${index()}`}
                  role="option"
                  aria-selected={index() === place()}
                  onPointerMove={() => setPlace(index())}
                  onClick={() => pick(choice)}
                >
                  <Icon name={choice.icon} />
                  <span class="palette-label">{choice.label}</span>
                  <span class="palette-detail">{choice.detail}</span>
                </li>
              </>
            )}
          </For>
        </ul>
        <Show when={props.choices.length === 0}>
          <p class="empty" role="status">
            {props.empty}
          </p>
        </Show>
        {props.foot}
      </div>
    </dialog>
  );
}
