import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { WholeText } from "./whole-text.ts";

/** A button that loads the rest of a text that the stream has cut. */
export function ShowWhole(props: { of: WholeText }): JSX.Element {
  return (
    <Show when={props.of.load()}>
      {(load) => (
        <button
          type="button"
          class="link-button"
          // Ignore the error: it was already shown to the user.
          onClick={() => void load()().catch(() => {})}
        >
          {t().conversation.showWhole}
        </button>
      )}
    </Show>
  );
}
