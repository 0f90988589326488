import { splitProps } from "solid-js";
import type { JSX } from "solid-js";

/** Paths of the icons, drawn on a 16 × 16 grid with one line width. */
const paths = {
  alert: "M8 2.5 14.5 13.500h-13ZM8 6.500v3.500M8 12v.01",
  wait: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.500V8l2.500 1.500",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  chevronRight: "M6 3.5 10.5 8 6 12.5",
  chevronDown: "M3.5 6 8 10.5 12.5 6",
  arrowUp: "M8 13V3M4 7l4-4 4 4",
  arrowDown: "M8 3v10M4 9l4 4 4-4",
  stop: "M3.5 3.5h9v9h-9z",
  send: "M8 13V3M4 7l4-4 4 4",
  clip: "M13 7.5 8 12.5a3.2 3.2 0 0 1-4.5-4.5l5.3-5.3a2.1 2.1 0 0 1 3 3l-5.2 5.2a1 1 0 0 1-1.5-1.5L10 4.6",
  check: "M3 8.5 6.5 12 13 4.5",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  grip: "M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01",
  pencil: "M3 13l.7-2.8L10.5 3.4l2.1 2.1-6.8 6.8L3 13Z",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  bolt: "M9 2 3.5 9H8l-1 5 5.5-7H8l1-5Z",
  timeline: "M2.5 4h6M5 8h8M3.5 12h5",
  changes: "M3.500 2.500h9v11h-9zM6 6h4M8 4v4M6 11h4",
  comment: "M2.500 3h11v8h-6l-3 2.500V11h-2z",
  health: "M1.5 8.5h3l2-5 3 9 2-4h3",
  gear: "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M12.4 3.6l-1.2 1.2M4.8 11.2l-1.2 1.2",
  fork: "M4.5 3v10M4.5 9c0-3 7-1 7-4M4.5 3.01V3M11.5 3v2",
  bellOff: "M4 11.5V7a4 4 0 0 1 7-2.600M12 7v4.500H3M6.500 13.500h3M2 2l12 12",
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  undo: "M3 6h6.5a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3",
  terminal: "M2.5 4 6 8l-3.5 4M8 12h5.5",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  chat: "M2.5 3h11v8H8l-3 2.500V11H2.5z",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  globe:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2Z",
  tool: "M10.5 2.5a3 3 0 0 0-3 4L2.5 11.5l2 2 5-5a3 3 0 0 0 4-4l-2 2-1.7-.3L9.500 4.500l1-2Z",
  branch: "M4.500 3v6a3 3 0 0 0 3 3h4M9.500 10l2 2-2 2",
  ask: "M5.500 6a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M8 12.500v.01",
  back: "M10 3.500 5.500 8l4.500 4.500",
  external: "M6.500 3.500h-3v9h9v-3M9.500 3h3.500v3.500M13 3 7.500 8.500",
} as const;

const dotted = new Set<string>(["more", "grip"]);

export type IconName = keyof typeof paths;

export function Icon(props: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class="icon"
      width={props.size ?? 16}
      height={props.size ?? 16}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[props.name]} stroke-width={dotted.has(props.name) ? 2.4 : 1.5} />
    </svg>
  );
}

interface IconButtonProps extends JSX.ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  label: string;
}

/** A button with an icon only. The label is its tooltip and its accessible name. */
export function IconButton(props: IconButtonProps): JSX.Element {
  const [own, rest] = splitProps(props, ["icon", "label", "class"]);
  return (
    <button
      type="button"
      {...rest}
      class={`icon-button ${own.class ?? ""}`}
      aria-label={own.label}
      title={own.label}
    >
      <Icon name={own.icon} />
    </button>
  );
}
