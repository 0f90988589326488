import type { SessionDetail } from "@holdfast/sdk";
import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";

const deliveries = ["queue", "steer", "interrupt"] as const;
type BusyDelivery = (typeof deliveries)[number];

/** What a prompt does on a busy session, and what exactly that would mean now. */
export function DeliveryChoice(props: {
  detail: SessionDetail | null;
  value: BusyDelivery;
  onChange: (delivery: BusyDelivery) => void;
}): JSX.Element {
  const hint = (): string => {
    const waiting = props.detail?.queue.length ?? 0;
    const active = props.detail?.active === null ? 0 : 1;
    switch (props.value) {
      case "queue":
        return t().composer.queueHint({ ahead: waiting });
      case "steer":
        return t().composer.steerHint;
      case "interrupt":
        return t().composer.interruptHint({ covered: active + waiting });
    }
  };
  return (
    <div class="delivery">
      <div class="segments" role="radiogroup" aria-label={t().composer.delivery}>
        <For each={deliveries}>
          {(delivery) => (
            <label class="segment" classList={{ chosen: props.value === delivery }}>
              <input
                type="radio"
                name="delivery"
                value={delivery}
                checked={props.value === delivery}
                onChange={() => props.onChange(delivery)}
              />
              {t().composer[delivery]}
            </label>
          )}
        </For>
      </div>
      <span class="composer-hint" aria-live="polite">
        {hint()}
      </span>
    </div>
  );
}
