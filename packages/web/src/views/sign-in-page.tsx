import { onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { rememberPage } from "../state/sign-in.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/**
 * Explains how to sign in. If the user opens the link in another tab, this tab connects again by itself and shows its
 * earlier page, with the draft of its prompt.
 */
export function SignInPage(): JSX.Element {
  const isLinkUsed = new URLSearchParams(location.search).get("link") === "used";
  const command = "holdfast link";
  onMount(rememberPage);
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <h1>{t().signIn.title}</h1>
        <p>
          <Show when={isLinkUsed} fallback={t().signIn.expired}>
            {t().signIn.linkUsed}
          </Show>
        </p>
        <p>{t().signIn.how}</p>
        <pre class="command">
          <code>{command}</code>
          <CopyButton text={() => command} />
        </pre>
        <p class="quiet">{t().signIn.after}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {t().signIn.retry}
        </button>
      </div>
    </main>
  );
}
