import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { answerAsk } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";

/** Buttons that raise a spent limit by the proposed amount, or end the run. */
export function BudgetAnswer(props: { ask: OpenAsk }): JSX.Element {
  return (
    <div class="ask-verdict">
      <button
        type="button"
        class="button primary"
        onClick={() => void answerAsk(props.ask, { verdict: "allow" })}
      >
        {t().asks.raise}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => void answerAsk(props.ask, { verdict: "deny" })}
      >
        {t().asks.stopRun}
      </button>
    </div>
  );
}
