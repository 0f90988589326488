import type { JSX } from "solid-js";
import { pathOf } from "../model/route.ts";
import type { Route } from "../model/route.ts";
import { go } from "../state/router.ts";

/** A link to another view of the page. With a modifier key, the browser opens it as usual, for example in a new tab. */
export function Link(props: {
  to: Route;
  children: JSX.Element;
  class?: string;
  isCurrent?: boolean;
  title?: string;
  onClick?: () => void;
}): JSX.Element {
  return (
    <a
      href={pathOf(props.to)}
      class={props.class}
      title={props.title}
      aria-current={props.isCurrent === true ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(props.to);
        props.onClick?.();
      }}
    >
      {props.children}
    </a>
  );
}
