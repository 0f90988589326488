import { For } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { dismissToast, holdToastsWhile, shownToasts } from "../state/toasts.ts";
import { IconButton } from "./icon.tsx";

export function Toaster(): JSX.Element {
  return (
    <div
      class="toaster"
      role="status"
      aria-live="polite"
      ref={(element) => holdToastsWhile(() => element.matches(":hover, :focus-within"))}
    >
      <For each={shownToasts()}>
        {(toast) => (
          <div class={`toast ${toast.tone}`}>
            <span class="toast-text">{toast.text()}</span>
            <For each={toast.actions}>
              {(action) => (
                <button
                  type="button"
                  class="link-button"
                  onClick={() => {
                    action.run();
                    dismissToast(toast.id);
                  }}
                >
                  {action.label()}
                </button>
              )}
            </For>
            <IconButton icon="close" label={t().app.close} onClick={() => dismissToast(toast.id)} />
          </div>
        )}
      </For>
    </div>
  );
}
