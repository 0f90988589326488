import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { IconButton } from "../ui/icon.tsx";

export function PageHead(props: {
  title: string;
  onMenu: () => void;
  children?: JSX.Element;
}): JSX.Element {
  return (
    <header class="page-head">
      <IconButton
        class="only-phone"
        icon="menu"
        label={t().app.menu}
        onClick={() => props.onMenu()}
      />
      <div class="head-words">
        <h1>{props.title}</h1>
      </div>
      <div class="head-actions">{props.children}</div>
    </header>
  );
}
