import { sessionOf } from "../../model/route.ts";
import { mayPrompt } from "../../state/account.ts";
import { currentRoute, go } from "../../state/router.ts";
import { letterKeys } from "../../state/settings.ts";
import { isWriting } from "../../ui/is-writing.ts";
import { leaveFocus } from "../composer/first-focus.ts";
import { stopRun } from "../session-actions.tsx";
import { sessionKeys } from "../session/session-keys.ts";
import { visibleSessions } from "../sidebar/visible-sessions.ts";
import { overlay, setOverlay } from "./overlay.ts";

/** Global keyboard shortcuts. Letter keys work only if no text field has the focus and the user has not turned them off. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      setOverlay(overlay() === "palette" ? null : "palette");
      return;
    }
    if (isSearchKey(event)) {
      event.preventDefault();
      setOverlay("search");
      return;
    }
    // Look for an open dialog in the DOM, because `overlay` is updated a moment after a dialog has closed.
    if (document.querySelector("dialog[open]") !== null) return;
    if (isFindKey(event)) {
      event.preventDefault();
      if (!focus("#find-input")) sessionKeys()?.find();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      onEscape(event);
      return;
    }
    if (!letterKeys() || isWriting(event.target)) return;
    if (letters[event.key]?.() === true) event.preventDefault();
  });
}

function isSearchKey({ ctrlKey, metaKey, shiftKey, key }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && shiftKey && key.toLowerCase() === "f";
}

/**
 * Whether the key is Ctrl+F on the page of a session. A second Ctrl+F in the find bar opens the browser's own find bar.
 */
function isFindKey({ ctrlKey, metaKey, altKey, key, target }: KeyboardEvent): boolean {
  if (!(ctrlKey || metaKey) || altKey || key.toLowerCase() !== "f") return false;
  if (target instanceof HTMLElement && target.id === "find-input") return false;
  return currentRoute().page === "session" && sessionKeys() !== null;
}

/** If a text field other than the composer has the focus, Esc leaves it. Otherwise Esc stops the current run. */
function onEscape(event: KeyboardEvent): void {
  const sessionId = sessionOf(currentRoute());
  const { target } = event;
  if (isWriting(target) && target.id !== "composer") {
    target.blur();
    return;
  }
  if (sessionId === null || !mayPrompt()) return;
  event.preventDefault();
  void stopRun(sessionId);
}

const letters: Readonly<Record<string, () => boolean>> = {
  "?": () => done(setOverlay("help")),
  n: () => done(go({ page: "home" })),
  j: () => step(1),
  k: () => step(-1),
  "/": () => focus("#session-search"),
  s: () => done(setOverlay("search")),
  f: () => done(sessionKeys()?.find()),
  i: () => focus("#composer"),
  g: () => done(sessionKeys()?.toEnd()),
  t: () => {
    const route = currentRoute();
    const sessionId = sessionOf(route);
    if (sessionId === null) return done(go({ page: "timeline" }));
    const page = route.page === "sessionTimeline" ? "session" : "sessionTimeline";
    return done(go({ page, sessionId }));
  },
  y: () => click("[data-key=allow]"),
  x: () => click("[data-key=deny]"),
};

function step(by: number): boolean {
  const ids = visibleSessions();
  const at = ids.indexOf(sessionOf(currentRoute()) ?? "");
  const next = ids[at === -1 ? 0 : at + by];
  if (next === undefined) return true;
  leaveFocus();
  go({ page: "session", sessionId: next });
  return true;
}

function focus(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null;
}

/** Clicks the button that shows this shortcut, if the user can see the button. */
function click(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null || !isInSight(found)) return false;
  found.click();
  return true;
}

/** Whether the middle of the element is on the screen and nothing covers it. */
function isInSight(element: HTMLElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  const above = document.elementFromPoint(left + width / 2, top + height / 2);
  return above !== null && element.contains(above);
}

/** Marks a key as handled: returns true, no matter what the action returned. */
function done(_nothing: unknown): boolean {
  return true;
}
