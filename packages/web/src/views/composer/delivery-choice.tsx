import type { Hold, SessionDetail } from "@holdfast/sdk";
import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { isSteering } from "@holdfast/model/queue.ts";

const deliveries = ["queue", "steer", "interrupt"] as const;
type BusyDelivery = (typeof deliveries)[number];

/**
 * Lets the user choose what a prompt does if the session is busy. Explains the effect of the choice in the current
 * state.
 */
export function DeliveryChoice(props: {
  detail: SessionDetail | null;
  value: BusyDelivery;
  onChange: (delivery: BusyDelivery) => void;
}): JSX.Element {
  const hint = (): string => {
    const isActive = props.detail?.active !== null;
    const queue = props.detail?.queue ?? [];
    const ahead = queue.filter((item) => !isSteering(item)).length;
    switch (props.value) {
      case "queue":
        return holdHint(props.detail?.holds ?? []) ?? t().composer.queueHint({ isActive, ahead });
      case "steer":
        return isActive ? t().composer.steerHint : t().composer.steerIdleHint;
      case "interrupt":
        return t().composer.interruptHint({ isActive, waiting: queue.length });
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

/**
 * Explains what a new prompt does in a paused session. If the session was paused by a failure, the prompt ends the
 * pause (L4). If a person paused it, the prompt waits.
 */
export function holdHint(holds: readonly Hold[]): string | null {
  if (holds.length === 0) return null;
  const isFailure = holds.every(({ kind }) => kind === "failure");
  return isFailure ? t().composer.heldByFailure : t().composer.heldByPerson;
}
