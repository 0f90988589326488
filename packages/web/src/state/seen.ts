import { isEvent } from "@holdfast/sdk";
import { mayNotify } from "@holdfast/model/notice-words.ts";
import { createEffect, createRoot } from "solid-js";
import { sessionOf } from "../model/route.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { currentRoute } from "./router.ts";

/**
 * Tells the server what the person has seen, so that other devices stay quiet about it: the shown session when the
 * person opens it or returns to the page, and each event that arrives while the session is on the screen.
 */
export function followSeen(): void {
  createRoot(() => createEffect(markShown));
  addEventListener("focus", markShown);
  document.addEventListener("visibilitychange", markShown);
  onFeed((item) => {
    if (!isEvent(item) || !mayNotify(item)) return;
    if (item.sessionId === sessionOf(currentRoute())) mark(item.sessionId);
  });
}

function markShown(): void {
  mark(sessionOf(currentRoute()));
}

/** Marks all events so far as seen. If the request fails, another device may ring. */
function mark(sessionId: string | null): void {
  if (sessionId === null || !isLooking()) return;
  // The server limits the mark to the last event of the session.
  const session = holdfast.session(sessionId);
  void session.markSeen(Number.MAX_SAFE_INTEGER, { patience: 0 }).catch(() => {});
}

/** Whether the person looks at this page. */
export function isLooking(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}
