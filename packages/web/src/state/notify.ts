import { t } from "../i18n/text.ts";
import type { OpenAsk } from "./asks.ts";
import { go } from "./router.ts";
import { changeSettings, notify } from "./settings.ts";

/** Calls the person, if they want that and look elsewhere. */
export function notifyAsk(ask: OpenAsk): void {
  if (!notify() || document.visibilityState === "visible" || !isAllowed()) return;
  const shown = new Notification(t().asks.needsYou, { body: ask.question, tag: ask.askId });
  shown.addEventListener("click", () => {
    window.focus();
    go({ page: "session", sessionId: ask.sessionId });
    shown.close();
  });
}

/** Asks the browser's permission first; stays off where it is refused. */
export async function turnOnNotifications(): Promise<void> {
  if (!("Notification" in window)) return;
  changeSettings({ notify: (await Notification.requestPermission()) === "granted" });
}

function isAllowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}
