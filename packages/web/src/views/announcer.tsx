import { createSignal, onCleanup } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { sessionOf } from "../model/route.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { onFeed } from "../state/feed.ts";
import { currentRoute } from "../state/router.ts";
import { askQuestion } from "./asks/ask-words.ts";

/** Announces open asks and the end of the shown run to screen readers. */
export function Announcer(): JSX.Element {
  const [message, setMessage] = createSignal("");
  onCleanup(
    onFeed((item) => {
      if (item.type === "ask.opened") {
        const { question = "", extra = null } = item.content ?? {};
        const text = visibleText(askQuestion({ question, extra }));
        setMessage(t().app.colon({ subject: t().asks.needsYou, text }));
      }
      if (!("sessionId" in item) || item.sessionId !== sessionOf(currentRoute())) return;
      // Clear the text first: screen readers do not announce the same text twice in a row.
      if (item.type === "run.started") setMessage("");
      if (item.type === "run.ended") setMessage(t().notices.ended[item.outcome.status]);
    }),
  );
  return (
    <p class="hidden-text" role="status">
      {message()}
    </p>
  );
}
