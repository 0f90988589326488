import { isEvent } from "@holdfast/sdk";
import { mayNotify } from "@holdfast/model/notice-words.ts";
import { createEffect, createRoot } from "solid-js";
import { sessionOf } from "../model/route.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { currentRoute } from "./router.ts";

/** Milliseconds without input after which the person is assumed to have left the device. */
const awayAfter = 60_000;
let lastInput = Date.now();

/**
 * Tells the server which events the person has seen, so that other devices do not notify about them. All events of the
 * shown session count as seen when the person opens the session or comes back to the page, and when an event arrives
 * while the session is on the screen.
 */
export function followSeen(): void {
  createRoot(() => createEffect(markShown));
  document.addEventListener("visibilitychange", markShown);
  for (const type of ["pointermove", "pointerdown", "keydown"]) {
    addEventListener(type, noteInput, { passive: true, capture: true });
  }
  onFeed((item) => {
    if (!isEvent(item) || !mayNotify(item)) return;
    if (item.sessionId === sessionOf(currentRoute())) markShown();
  });
}

/** Whether the person is looking at this page: it is visible, and the device was used in the last minute. */
export function isLooking(): boolean {
  return document.visibilityState === "visible" && Date.now() - lastInput < awayAfter;
}

function noteInput(): void {
  const wasLooking = isLooking();
  lastInput = Date.now();
  if (!wasLooking) markShown();
}

/** Marks all events of the shown session as seen. If the request fails, another device may notify about them. */
function markShown(): void {
  const sessionId = sessionOf(currentRoute());
  if (sessionId === null || !isLooking()) return;
  // Send MAX_SAFE_INTEGER for all events: the server replaces it by the seq of the session's last event.
  const session = holdfast.session(sessionId);
  void session.markSeen(Number.MAX_SAFE_INTEGER, { patience: 0 }).catch(() => {});
}
