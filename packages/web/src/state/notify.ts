import { isEvent } from "@holdfast/sdk";
import type { FeedItem } from "@holdfast/sdk";
import { mayNotify, noticeKind, noticeWords } from "@holdfast/model/notice-words.ts";
import { t } from "../i18n/text.ts";
import { openAsks } from "./asks.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { go } from "./router.ts";
import { isLooking } from "./seen.ts";
import { sessions } from "./sessions.ts";
import { shownTitle } from "./shown-title.ts";
import { changeSettings, locale, notify, push } from "./settings.ts";

/** Notifications that this page has shown, by session. */
const shown = new Map<string, { readonly notification: Notification; readonly seq: number }>();
/** Milliseconds between two questions to the server whether a shown notification is still needed. */
const lookEvery = 5_000;
let looking: ReturnType<typeof setInterval> | null = null;

/**
 * Shows browser notifications while the person is not looking at the page. The server decides which events notify. If
 * this browser receives push messages, the service worker shows the notifications instead.
 */
export function followNotices(): void {
  onFeed((item) => {
    if (!isEvent(item)) return;
    if (item.type === "ask.closed" || item.type === "hold.released") {
      const released = item.type === "hold.released" ? item.holdId : null;
      if (!needsPerson(item.sessionId, released)) clear(item.sessionId);
    } else if (mayNotify(item)) void show(item);
  });
  addEventListener("focus", () => {
    for (const sessionId of shown.keys()) clear(sessionId);
  });
  // After a click on a push notification, the service worker asks this page to show the session.
  globalThis.navigator.serviceWorker?.addEventListener("message", ({ data }: MessageEvent) => {
    const sessionId: unknown = data?.openSession;
    if (typeof sessionId === "string") go({ page: "session", sessionId });
  });
}

async function show(item: Extract<FeedItem, { seq: number }>): Promise<void> {
  if (!isWanted()) return;
  const { sessionId, seq } = item;
  const session = holdfast.session(sessionId);
  const kind = await noticeKind({
    ask: () => session.notice(seq).catch(() => null),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  });
  if (kind === null || !isWanted()) return;
  const title = noticeWords[locale()][kind];
  const body = shownTitle(sessions[sessionId], "");
  // Most browsers replace an older notification with the same tag. Close it for the browsers that do not.
  shown.get(sessionId)?.notification.close();
  const notification = new Notification(title, { body, tag: sessionId });
  notification.addEventListener("click", () => {
    window.focus();
    go({ page: "session", sessionId });
    clear(sessionId);
  });
  shown.set(sessionId, { notification, seq });
  looking ??= setInterval(() => void clearSeen(), lookEvery);
}

/** Removes notifications about events that the person has seen on another device meanwhile. */
async function clearSeen(): Promise<void> {
  for (const [sessionId, { seq }] of shown) {
    const notice = await holdfast
      .session(sessionId)
      .notice(seq, { patience: 0 })
      .catch(() => null);
    const isOver = notice?.quiet === "over" && !needsPerson(sessionId, null);
    const isDone = notice?.quiet === "seen" || isOver;
    if (isDone && shown.get(sessionId)?.seq === seq) clear(sessionId);
  }
}

/** Whether the session still waits for a person. `released`: id of a hold that was just released. */
function needsPerson(sessionId: string, released: string | null): boolean {
  const holds = sessions[sessionId]?.holds ?? [];
  const isHeld = holds.some(({ kind, holdId }) => kind === "recovery" && holdId !== released);
  return isHeld || openAsks(sessionId).length > 0;
}

function isWanted(): boolean {
  return notify() && !push() && !isLooking() && isAllowed();
}

function clear(sessionId: string): void {
  shown.get(sessionId)?.notification.close();
  shown.delete(sessionId);
  if (shown.size > 0 || looking === null) return;
  clearInterval(looking);
  looking = null;
}

/**
 * Asks the browser for permission to show notifications. Throws an error with a message for the person if the
 * permission is refused.
 */
export async function turnOnNotifications(): Promise<void> {
  const answer = "Notification" in window ? await Notification.requestPermission() : "denied";
  changeSettings({ notify: answer === "granted" });
  if (answer !== "granted") throw new Error(t().notifications.denied);
}

function isAllowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}
