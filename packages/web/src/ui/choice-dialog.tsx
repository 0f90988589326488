import { createUniqueId, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { createListPlace } from "./list-place.ts";
import { Modal } from "./modal.tsx";
import type { ModalControl } from "./modal.tsx";

/** An entry in the list of a ChoiceDialog. */
export interface Choice {
  readonly label: string;
  readonly detail: string;
  readonly icon: IconName;
  /** Heading above the first entry of a group. */
  readonly group?: string;
  /** True if the dialog stays open after this entry is chosen, for example to show another list. */
  readonly keepsOpen?: boolean;
  readonly run: () => void;
}

/** A dialog with a text field and a list that the typed text filters. Keys and the pointer choose an entry. */
export function ChoiceDialog(props: {
  label: string;
  placeholder: string;
  typed: string;
  onType: (typed: string) => void;
  choices: readonly Choice[];
  /** Text to show if the list is empty. */
  empty: string;
  /** Elements below the list. */
  foot?: JSX.Element;
  onClose: () => void;
}): JSX.Element {
  let modal: ModalControl | undefined;
  const list = createUniqueId();
  const { place, choose, onKey: moveChoice } = createListPlace(() => props.choices.length);
  const pick = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    if (choice.keepsOpen !== true) modal?.close();
    choice.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isInList = event.target instanceof HTMLInputElement;
    if (event.key === "Enter" && isInList) pick(props.choices[place()]);
    else if (!moveChoice(event.key)) return;
    event.preventDefault();
    modal?.element.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Modal
      class="palette"
      label={props.label}
      onClose={() => props.onClose()}
      control={(given) => (modal = given)}
      onKeyDown={onKey}
    >
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={props.choices.length > 0 ? `${list}-${place()}` : undefined}
        placeholder={props.placeholder}
        aria-label={props.placeholder}
        spellcheck={false}
        autocomplete="off"
        value={props.typed}
        onInput={(event) => {
          choose(0);
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
                onPointerMove={() => choose(index())}
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
    </Modal>
  );
}
