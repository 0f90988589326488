import { createSignal, For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { answerAsk } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";

/** Choices of a question and a field for another answer. */
export function QuestionAnswer(props: {
  ask: OpenAsk;
  choices: readonly string[];
  /** Whether clicks are accepted: the question has been at its place for a moment. */
  isNoticed: boolean;
}): JSX.Element {
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
          <button
            type="button"
            class="button"
            aria-disabled={!props.isNoticed}
            onClick={() => {
              if (props.isNoticed) answer(choice);
            }}
          >
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
