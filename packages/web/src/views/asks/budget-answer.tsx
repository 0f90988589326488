import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { answerAsk } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";

/** Buttons that raise a spent limit by the proposed amount, or end the run. */
export function BudgetAnswer(props: {
  ask: OpenAsk;
  /** Whether clicks are accepted: the request has been at its place for a moment. */
  isNoticed: boolean;
}): JSX.Element {
  const answer = (verdict: "allow" | "deny"): void => {
    if (props.isNoticed) void answerAsk(props.ask, { verdict });
  };
  return (
    <div class="ask-verdict">
      <button
        type="button"
        class="button primary"
        aria-disabled={!props.isNoticed}
        onClick={() => answer("allow")}
      >
        {t().asks.raise}
      </button>
      <button
        type="button"
        class="button"
        aria-disabled={!props.isNoticed}
        onClick={() => answer("deny")}
      >
        {t().asks.stopRun}
      </button>
    </div>
  );
}
