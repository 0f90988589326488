import { createSignal } from "solid-js";
import type { JSX } from "solid-js";

export type ToastTone = "plain" | "good" | "bad";

export interface ToastAction {
  readonly label: () => string;
  readonly run: () => void;
}

export interface Toast {
  readonly id: number;
  readonly tone: ToastTone;
  /** Text of the toast. A function, so that the text changes with the language. */
  readonly text: () => JSX.Element;
  readonly about: string | null;
  readonly actions: readonly ToastAction[];
}

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
export const shownToasts = toasts;

const shownFor = 6_000;
const shownForAction = 12_000;
/** Milliseconds until the next check of a toast that is due while the user reads it. */
const checkAgain = 1_000;
let lastId = 0;
let isHeld = (): boolean => false;

/** Keeps toasts while `check` returns true, for example while the pointer is over them. */
export function holdToastsWhile(check: () => boolean): void {
  isHeld = check;
}

export function showToast(
  text: Toast["text"],
  options: {
    tone?: ToastTone;
    actions?: readonly ToastAction[];
    /** Subject of the toast. A new toast replaces one with the same subject. */
    about?: string;
  } = {},
): void {
  const { tone = "plain", actions = [], about = null } = options;
  const id = (lastId += 1);
  setToasts((before) => {
    const others = about === null ? before : before.filter((toast) => toast.about !== about);
    return [...others.slice(-3), { id, tone, text, actions, about }];
  });
  setTimeout(() => expire(id), actions.length === 0 ? shownFor : shownForAction);
}

function expire(id: number): void {
  if (isHeld()) setTimeout(() => expire(id), checkAgain);
  else dismissToast(id);
}

export function dismissToast(id: number): void {
  setToasts((before) => before.filter((toast) => toast.id !== id));
}
