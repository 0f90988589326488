import type { Hold, Session } from "@holdfast/sdk";
import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { serverNow } from "../state/server-clock.ts";
import { clockTime, fullTime } from "../ui/time.tsx";

/** Status of a session as an icon, with a name for screen readers. */
export function StatusMark(props: { session: Session }): JSX.Element {
  const label = (): string => statusText(props.session);
  return (
    <span class={`status-mark ${props.session.status}`} title={label()}>
      <span class="hidden-text">{label()}</span>
    </span>
  );
}

/** Status icon with its name. */
export function StatusChip(props: { session: Session }): JSX.Element {
  return (
    <span class={`status-chip ${props.session.status}`} title={statusText(props.session)}>
      <span class={`status-mark ${props.session.status}`} aria-hidden="true" />
      {t().status[props.session.status]}
      <Show when={props.session.queued > 0}>
        <span class="chip-count">{t().queuedCount({ count: props.session.queued })}</span>
      </Show>
    </span>
  );
}

function statusText(session: Session): string {
  const [hold] = session.holds;
  const status = t().status[session.status];
  return hold === undefined ? status : t().app.colon({ subject: status, text: holdText(hold) });
}

/** Describes why a session is paused (held). */
export function holdText(hold: Hold): string {
  switch (hold.kind) {
    case "person":
      return t().holds.person({ reason: hold.reason });
    case "recovery":
      return t().holds.recovery;
    case "failure": {
      const reason = t().reasons[hold.reason];
      if (hold.retryAt === null) return reason;
      const isSoon = hold.retryAt - serverNow() < 20 * 3_600_000;
      const time = isSoon ? clockTime(hold.retryAt) : fullTime(hold.retryAt);
      return `${reason}; ${t().holds.retryAt({ time })}`;
    }
  }
}
