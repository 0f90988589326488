import { createMemo, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { mayDecide } from "../../state/account.ts";
import { answerAsk } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Output } from "../../ui/output.tsx";

/** A permission request or a question that waits for an answer. */
export function AskCard(props: { ask: OpenAsk }): JSX.Element {
  const subject = createMemo(() => askSubject(props.ask.extra));
  const isQuestion = (): boolean => subject().kind === "question";
  return (
    <section class="ask-card" aria-label={isQuestion() ? t().asks.question : t().asks.permission}>
      <header>
        <Icon name="ask" />
        <span class="ask-kind">{isQuestion() ? t().asks.question : t().asks.permission}</span>
        <span class="ask-question">{visibleText(props.ask.question)}</span>
      </header>
      <Show when={subject().preview}>
        {(preview) => (
          <div class="ask-preview">
            <Show
              when={preview().includes("\n@@ ")}
              fallback={<Output text={preview()} label={t().asks.permission} />}
            >
              <DiffView diff={preview()} path={subject().subject ?? ""} />
            </Show>
          </div>
        )}
      </Show>
      <Show when={mayDecide()}>
        <Show when={isQuestion()} fallback={<Permission ask={props.ask} />}>
          <Question ask={props.ask} choices={subject().choices} />
        </Show>
      </Show>
    </section>
  );
}

function Permission(props: { ask: OpenAsk }): JSX.Element {
  const [reason, setReason] = createSignal("");
  const remembers = createMemo(() => askSubject(props.ask.extra).remembers);
  const deny = (): void => {
    const text = reason().trim();
    void answerAsk(props.ask, { verdict: "deny", ...(text === "" ? {} : { text }) });
  };
  return (
    <div class="ask-actions">
      <button
        type="button"
        class="button primary"
        data-key="allow"
        onClick={() => void answerAsk(props.ask, { verdict: "allow" })}
      >
        {t().asks.allow}
      </button>
      <Show when={remembers()}>
        {(rule) => (
          <>
            <button
              type="button"
              class="button"
              title={t().asks.remembers({ rule: rule() })}
              onClick={() => void answerAsk(props.ask, { verdict: "allow", remember: "session" })}
            >
              {t().asks.allowSession}
            </button>
            <button
              type="button"
              class="button"
              title={t().asks.remembers({ rule: rule() })}
              onClick={() => void answerAsk(props.ask, { verdict: "allow", remember: "project" })}
            >
              {t().asks.allowProject}
            </button>
          </>
        )}
      </Show>
      <span class="ask-deny">
        <input
          value={reason()}
          placeholder={t().asks.whyNot}
          aria-label={t().asks.whyNot}
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.isComposing) deny();
          }}
        />
        <button type="button" class="button" data-key="deny" onClick={deny}>
          {t().asks.deny}
        </button>
      </span>
    </div>
  );
}

function Question(props: { ask: OpenAsk; choices: readonly string[] }): JSX.Element {
  const [text, setText] = createSignal("");
  const answer = (words: string): void => {
    if (words.trim() !== "") void answerAsk(props.ask, { verdict: "allow", text: words });
  };
  return (
    <form
      class="ask-actions"
      onSubmit={(event) => {
        event.preventDefault();
        answer(text());
      }}
    >
      <For each={props.choices}>
        {(choice) => (
          <button type="button" class="button" onClick={() => answer(choice)}>
            {visibleText(choice)}
          </button>
        )}
      </For>
      <input
        class="ask-answer"
        value={text()}
        placeholder={t().asks.answerPlaceholder}
        aria-label={t().asks.answerPlaceholder}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="button primary">
        {t().asks.answer}
      </button>
    </form>
  );
}
