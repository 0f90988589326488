import { HoldfastError } from "@holdfast/sdk";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { mayDecide } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { go } from "../../state/router.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";

/** Creates a session from an exported file. */
export function ImportSession(): JSX.Element {
  const load = (file: File): Promise<void> =>
    attempt(async () => {
      try {
        const { sessionId } = await holdfast.sessions.import(file);
        go({ page: "session", sessionId });
        showToast(() => t().imports.imported, { tone: "good" });
      } catch (error) {
        if (!(error instanceof HoldfastError) || error.code !== "invalid") throw error;
        // The server does not know the name of the file.
        const values = { file: visibleText(file.name), reason: error.message };
        showToast(() => t().imports.failed(values), { tone: "bad" });
      }
    });
  let input: HTMLInputElement | undefined;
  return (
    <Show when={mayDecide()}>
      <fieldset class="setting">
        <legend>{t().imports.title}</legend>
        <p class="quiet">{t().imports.text}</p>
        {/* The browser labels a visible file field in its own language, not in the language of the page. */}
        <input
          ref={input}
          type="file"
          hidden
          accept=".json,application/json"
          aria-label={t().imports.title}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) void load(file);
            event.currentTarget.value = "";
          }}
        />
        <button type="button" class="button" onClick={() => input?.click()}>
          {t().imports.choose}
        </button>
      </fieldset>
    </Show>
  );
}
