import { onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";
import { ownFetch } from "../state/own-fetch.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** Explains how to sign in. */
export function SignInPage(): JSX.Element {
  const isLinkUsed = new URLSearchParams(location.search).get("link") === "used";
  const command = "holdfast link";
  // The link may be opened in another tab, which signs this tab in too.
  const retry = (): void => location.assign("/");
  const look = async (): Promise<void> => {
    const answer = await ownFetch("/v1/me").catch(() => null);
    if (answer?.ok === true) retry();
  };
  const onFocus = (): void => void look();
  addEventListener("focus", onFocus);
  onCleanup(() => removeEventListener("focus", onFocus));
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
        <button type="button" class="button" onClick={retry}>
          {t().signIn.retry}
        </button>
      </div>
    </main>
  );
}
