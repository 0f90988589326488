import { onMount } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { sendDenial, takeBackDenial } from "../../state/asks.ts";
import type { OpenAsk } from "../../state/asks.ts";

/** Shown for a few seconds after a denial, while the user can still take it back. */
export function DenialWaits(props: { ask: OpenAsk }): JSX.Element {
  let back: HTMLButtonElement | undefined;
  // Move the focus here, because the button that denied the request has disappeared.
  onMount(() =>
    queueMicrotask(() => {
      const focused = document.activeElement;
      if (focused === document.body || back?.closest("section")?.contains(focused)) back?.focus();
    }),
  );
  const takeBack = (): void => {
    back?.closest("section")?.focus();
    takeBackDenial(props.ask);
  };
  return (
    <div class="ask-verdict" role="status">
      <span class="ask-denied">{t().asks.denialWaits}</span>
      <button ref={back} type="button" class="button small" onClick={takeBack}>
        {t().asks.takeBack}
      </button>
      <button type="button" class="button small" onClick={() => sendDenial(props.ask)}>
        {t().asks.sendNow}
      </button>
    </div>
  );
}
