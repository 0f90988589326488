import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { AskView } from "@holdfast/model/conversation.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { Icon } from "../../ui/icon.tsx";
import { isHere, whoOf } from "../../state/who.ts";
import { askQuestion } from "./ask-words.ts";

/** A past ask and its answer, in the conversation. */
export function AskRecord(props: { ask: AskView | null }): JSX.Element {
  return (
    <Show when={props.ask}>
      {(ask) => (
        <p class="ask-record" classList={{ open: ask().closed === null }}>
          <Icon name="ask" size={14} />
          <span>{visibleText(askQuestion(ask()))}</span>
          <strong>{answerText(ask())}</strong>
        </p>
      )}
    </Show>
  );
}

function answerText({ closed }: AskView): string {
  if (closed === null) return t().status.asking;
  const { resolution, actor, answer } = closed;
  if (resolution.kind === "expired") return t().asks.expired;
  if (resolution.kind === "withdrawn") return t().asks.withdrawn;
  const verdict = resolution.verdict === "allow" ? t().asks.allowed : t().asks.denied;
  const by = t().asks.by({ who: isHere(actor) ? null : whoOf(actor) });
  const said = answer?.text ?? null;
  return said === null ? `${verdict} ${by}` : `“${visibleText(said)}” ${by}`;
}
