import { isEvent } from "@holdfast/sdk";
import { awayAfter, mayNotify } from "@holdfast/model/notice-words.ts";
import { createEffect, createMemo, createRoot, on } from "solid-js";
import { sessionOf } from "../model/route.ts";
import { asksBelow } from "./asks.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { currentRoute } from "./router.ts";
import { push } from "./settings.ts";

/** Time of the last input, on a monotonic clock. */
let lastInput = performance.now();

/**
 * Tells the server which events the person has seen, so that other devices do not notify about them. All events of the
 * shown session count as seen when the person opens the session or comes back to the page, and when an event arrives
 * while the session is on the screen. The same holds for child sessions whose requests are shown with the session.
 */
export function followSeen(): void {
  createRoot(() => {
    const shown = createMemo(() => shownSessions().join("\n"));
    createEffect(on(shown, () => markShown()));
  });
  document.addEventListener("visibilitychange", markShown);
  for (const type of ["pointermove", "pointerdown", "keydown"]) {
    addEventListener(type, noteInput, { passive: true, capture: true });
  }
  onFeed((item) => {
    if (!isEvent(item) || !mayNotify(item)) return;
    if (shownSessions().includes(item.sessionId)) markShown();
  });
}

/** Whether the person is looking at this page: it is visible, and the device was used in the last minute. */
export function isLooking(): boolean {
  return document.visibilityState === "visible" && performance.now() - lastInput < awayAfter;
}

function noteInput(): void {
  const wasLooking = isLooking();
  lastInput = performance.now();
  if (!wasLooking) markShown();
}

/** Ids of the shown session and of the child sessions whose requests are shown with it. Reactive. */
function shownSessions(): readonly string[] {
  const sessionId = sessionOf(currentRoute());
  if (sessionId === null) return [];
  return [...new Set([sessionId, ...asksBelow(sessionId).map((ask) => ask.sessionId)])];
}

/** Marks all events of the shown sessions as seen. If a request fails, another device may notify about them. */
function markShown(): void {
  if (!isLooking()) return;
  for (const sessionId of shownSessions()) {
    // Send MAX_SAFE_INTEGER for all events: the server replaces it by the seq of the session's last event.
    const session = holdfast.session(sessionId);
    void session.markSeen(Number.MAX_SAFE_INTEGER, { patience: 0 }).catch(() => {});
    if (push() !== null) void closeNotices(sessionId).catch(() => {});
  }
}

/**
 * Closes the notifications that push messages about a session have shown in this browser. The server sends no message
 * for that to the device on which the person has seen the session.
 */
async function closeNotices(sessionId: string): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  for (const each of (await registration?.getNotifications({ tag: sessionId })) ?? []) each.close();
}
