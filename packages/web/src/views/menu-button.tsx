import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { IconButton } from "../ui/icon.tsx";

/** Opens the list of sessions where there is no room to keep it in sight. */
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
