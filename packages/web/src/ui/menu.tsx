import { createSignal, createUniqueId, Index, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { Icon, IconButton } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly isDangerous?: boolean;
  readonly run: () => void;
}

/** The id of the open menu; null: none is open. */
export const [openMenu, setOpenMenu] = createSignal<string | null>(null);

/** A button that opens a list of actions. */
export function Menu(props: {
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
}): JSX.Element {
  const id = createUniqueId();
  const isOpen = (): boolean => openMenu() === id;
  let root: HTMLDivElement | undefined;
  const items = (): HTMLElement[] => [
    ...(root?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []),
  ];
  const close = (): void => {
    if (isOpen()) setOpenMenu(null);
    document.removeEventListener("pointerdown", onOutside);
  };
  const onOutside = (event: PointerEvent): void => {
    if (event.target instanceof Node && root?.contains(event.target) !== true) close();
  };
  const open = (): void => {
    setOpenMenu(id);
    document.addEventListener("pointerdown", onOutside);
    queueMicrotask(() => items()[0]?.focus());
  };
  onCleanup(close);
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen()) return;
    const all = items();
    const at = all.findIndex((item) => item === document.activeElement);
    if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === "Escape") {
      close();
      root?.querySelector("button")?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="menu"
      ref={root}
      onKeyDown={onKey}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && root?.contains(relatedTarget) !== true) close();
      }}
    >
      <IconButton
        icon={props.icon ?? "more"}
        label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen()}
        aria-controls={id}
        onClick={(event) => {
          event.stopPropagation();
          if (isOpen()) close();
          else open();
        }}
      />
      <Show when={isOpen()}>
        <div class="menu-list" role="menu" id={id} aria-label={props.label}>
          <Index each={props.items}>
            {(item) => (
              <button
                type="button"
                role="menuitem"
                tabindex="-1"
                class="menu-item"
                classList={{ dangerous: item().isDangerous === true }}
                onClick={(event) => {
                  event.stopPropagation();
                  close();
                  item().run();
                }}
              >
                <Icon name={item().icon} />
                {item().label}
              </button>
            )}
          </Index>
        </div>
      </Show>
    </div>
  );
}
