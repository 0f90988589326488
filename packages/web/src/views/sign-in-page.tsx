import { onMount, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { rememberPage } from "../state/sign-in.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/**
 * Explains how to sign in. If the link is opened in another tab, the connection comes back here by itself, and this tab
 * shows its page again with everything that was typed.
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
