import { createMemo, createSignal, createUniqueId, Match, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { AskSubject } from "@holdfast/model/ask-extra.ts";
import { exactText } from "@holdfast/model/visible-text.ts";
import { mayDecide } from "../../state/account.ts";
import { isAnswering, isDenied } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { Icon } from "../../ui/icon.tsx";
import { AskPreview } from "./ask-preview.tsx";
import { askWords } from "./ask-words.ts";
import { BudgetAnswer } from "./budget-answer.tsx";
import { DenialWaits } from "./denial-waits.tsx";
import { createNoticed } from "./noticed.ts";
import { PermissionAnswer } from "./permission-answer.tsx";
import { QuestionAnswer } from "./question-answer.tsx";

/** A permission request or a question that waits for an answer. */
export function AskCard(props: {
  ask: OpenAsk;
  /** Whether keys can answer this ask: only the first ask is answered by keys. */
  isFirst: boolean;
  /** Whether there are other open asks. Then only the first ask shows its details. */
  isOneOfMany: boolean;
  /** Position among the open asks of the session. */
  place: number;
}): JSX.Element {
  const subject = createMemo((): AskSubject => askSubject(props.ask.extra));
  const words = createMemo(() => askWords(props.ask.question, subject()));
  const isNoticed = createNoticed(() => [props.place, props.isFirst].join(" "));
  const [choice, setChoice] = createSignal<boolean | null>(null);
  const isOpen = (): boolean => choice() ?? (props.isFirst || !props.isOneOfMany);
  const heading = createUniqueId();
  return (
    <section class="ask-card" tabindex="-1" aria-labelledby={heading} data-ask={props.ask.askId}>
      <header>
        <Icon name="ask" />
        <h2 id={heading}>
          <span class="ask-kind">{t().asks[subject().kind]}</span>
          <span class="ask-question">{exactText(words().question)}</span>
        </h2>
        <Show when={props.isOneOfMany && subject().preview !== null}>
          <button
            type="button"
            class="link-button"
            aria-expanded={isOpen()}
            onClick={() => setChoice(!isOpen())}
          >
            {isOpen() ? t().asks.hideDetails : t().asks.details}
          </button>
        </Show>
      </header>
      <Show when={words().notes !== ""}>
        <p class="ask-notes">{exactText(words().notes)}</p>
      </Show>
      <Show when={isOpen() ? subject().preview : null}>
        {(preview) => <AskPreview ask={props.ask} subject={subject()} preview={preview()} />}
      </Show>
      <Show when={mayDecide()}>
        <Show when={isDenied(props.ask)}>
          <DenialWaits ask={props.ask} />
        </Show>
        {/* Typed words stay, in case the denial is taken back or the answer does not arrive. */}
        <div class="ask-part" hidden={isDenied(props.ask)} inert={isAnswering(props.ask)}>
          <Switch
            fallback={
              <PermissionAnswer ask={props.ask} isFirst={props.isFirst} isNoticed={isNoticed()} />
            }
          >
            <Match when={subject().kind === "question"}>
              <QuestionAnswer ask={props.ask} choices={subject().choices} isNoticed={isNoticed()} />
            </Match>
            <Match when={subject().kind === "budget"}>
              <BudgetAnswer ask={props.ask} isNoticed={isNoticed()} />
            </Match>
          </Switch>
        </div>
        <Show when={isAnswering(props.ask)}>
          <p class="ask-sending" role="status">
            {t().asks.sending}
          </p>
        </Show>
      </Show>
    </section>
  );
}
