import type { Session } from "@holdfast/sdk";
import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { mayDecide } from "../../state/account.ts";
import { Icon } from "../../ui/icon.tsx";
import { releaseHolds } from "../session-actions.tsx";
import { holdText } from "../status-mark.tsx";

/** Shows that the session is paused (held), and why (L4). */
export function HoldBanner(props: { session: Session | null }): JSX.Element {
  return (
    <Show when={props.session?.holds[0] !== undefined ? props.session : null}>
      {(session) => (
        <div class="hold-banner" role="status">
          <Icon name="pause" />
          <span>{t().notices.held({ reason: session().holds.map(holdText).join("; ") })}</span>
          <Show when={mayDecide()}>
            <button type="button" class="button small" onClick={() => void releaseHolds(session())}>
              {t().sessions.release}
            </button>
          </Show>
        </div>
      )}
    </Show>
  );
}
