import { createEffect, For } from "solid-js";
import type { JSX } from "solid-js";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon.tsx";

/** An entry of the list above the text field. */
export interface Completion {
  readonly key: string;
  readonly icon?: IconName;
  readonly label: string;
  /** Shows the label as code. */
  readonly isCode?: boolean;
  readonly detail: string;
}

/** Id of the list. The text field refers to the list and to its chosen entry for screen readers. */
export const completionListId = "completions";

export function completionId(place: number): string {
  return `${completionListId}-${place}`;
}

/** Completions of the word before the cursor. The focus stays in the text field. */
export function CompletionList(props: {
  label: string;
  items: readonly Completion[];
  place: number;
  onPick: (place: number) => void;
}): JSX.Element {
  let list: HTMLUListElement | undefined;
  createEffect(() => {
    list?.children[props.place]?.scrollIntoView({ block: "nearest" });
  });
  return (
    <ul
      ref={list}
      id={completionListId}
      class="command-list"
      role="listbox"
      // A list that scrolls must be reachable with the keyboard.
      tabindex="0"
      aria-label={props.label}
    >
      <For each={props.items}>
        {(item, index) => (
          <li
            id={completionId(index())}
            role="option"
            aria-selected={index() === props.place}
            // Keeps the focus in the text field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => props.onPick(index())}
          >
            {item.icon === undefined ? null : <Icon name={item.icon} size={14} />}
            {item.isCode === true ? <code>{item.label}</code> : <span>{item.label}</span>}
            <span class="command-detail">{item.detail}</span>
          </li>
        )}
      </For>
    </ul>
  );
}
