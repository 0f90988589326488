import type { JSX } from "solid-js";
import { MenuButton } from "./menu-button.tsx";

export function PageHead(props: {
  title: string;
  onMenu: () => void;
  children?: JSX.Element;
}): JSX.Element {
  return (
    <header class="page-head">
      <MenuButton onMenu={props.onMenu} />
      <div class="head-words">
        <h1>{props.title}</h1>
      </div>
      <div class="head-actions">{props.children}</div>
    </header>
  );
}
