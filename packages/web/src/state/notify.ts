import { t } from "../i18n/text.ts";
import type { OpenAsk } from "./asks.ts";
import { go } from "./router.ts";
import { changeSettings, notify } from "./settings.ts";

/** Shows a browser notification, if enabled and the page is in the background. */
export function notifyAsk(ask: OpenAsk): void {
  if (!notify() || document.visibilityState === "visible" || !isAllowed()) return;
  const shown = new Notification(t().asks.needsYou, { body: ask.question, tag: ask.askId });
  shown.addEventListener("click", () => {
    window.focus();
    go({ page: "session", sessionId: ask.sessionId });
    shown.close();
  });
}

/** Asks the browser for permission. Notifications stay off if the user refuses. */
export async function turnOnNotifications(): Promise<void> {
  if (!("Notification" in window)) return;
  changeSettings({ notify: (await Notification.requestPermission()) === "granted" });
}

function isAllowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}
