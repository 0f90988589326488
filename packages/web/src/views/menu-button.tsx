import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { IconButton } from "../ui/icon.tsx";

/** Opens the session list on narrow screens. */
export function MenuButton(props: { onMenu: () => void }): JSX.Element {
  return (
    <IconButton
      class="only-phone"
      icon="menu"
      label={t().app.menu}
      onClick={() => props.onMenu()}
    />
  );
}
