import { Refused } from "@holdfast/sdk";
import { createResource, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { applied } from "../../state/maintenance.ts";
import { testProvider } from "../../state/provider-tests.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";

/**
 * Signs in to a provider: shows a code to type at the provider's page, waits until the person has signed in, and tests
 * the connection.
 */
export function SignInDialog(props: {
  provider: string;
  /** The server cannot start a sign-in, for example because it has no client id. */
  onRefused: (message: string) => void;
  onClose: () => void;
}): JSX.Element {
  const closed = new AbortController();
  onCleanup(() => closed.abort());
  const [started] = createResource(async () => {
    const { provider } = props;
    const code = await holdfast.providers.startSignIn(provider).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      props.onRefused(error.message);
      return null;
    });
    if (code === null) return null;
    void attempt(() => finish(provider)).then(() => closed.signal.aborted || props.onClose());
    return code;
  });
  const finish = async (provider: string): Promise<void> => {
    const { signal } = closed;
    while (!signal.aborted) {
      const waited = await holdfast.providers
        .waitForSignIn(provider, { signal })
        .catch((error: unknown) => {
          if (signal.aborted) return null;
          throw error;
        });
      if (waited === null) return;
      const { status, problem, change: answer } = waited;
      if (status === "waiting") continue;
      if (answer !== null) {
        applied(answer);
        return testProvider(provider);
      }
      showToast(() => t().providers.fails({ name: provider, field: null, problem }), {
        tone: "bad",
      });
      return;
    }
  };
  return (
    <Dialog
      title={t().providers.connectTitle({ name: props.provider })}
      onClose={() => props.onClose()}
    >
      <Show when={started.error === undefined} fallback={<p>{String(started.error?.message)}</p>}>
        <Show when={started()} fallback={<p class="quiet">{t().providers.signingIn}</p>}>
          {(code) => (
            <div class="stack">
              <p>{t().providers.typeCode}</p>
              <p>
                <a href={code().url} target="_blank" rel="noopener noreferrer">
                  {code().url}
                </a>
              </p>
              <p>
                <code>{code().userCode}</code>
              </p>
              <p class="quiet" role="status">
                {t().providers.signingIn}
              </p>
            </div>
          )}
        </Show>
      </Show>
    </Dialog>
  );
}
