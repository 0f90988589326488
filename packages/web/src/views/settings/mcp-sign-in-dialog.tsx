import { createResource, onCleanup, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";

/** Seconds that one request waits until the person has signed in. */
const wait = 20;

/** Signs in at an MCP server: links to the server's sign-in page, and waits until the person has signed in. */
export function McpSignInDialog(props: {
  server: string;
  directory: string;
  onClose: () => void;
}): JSX.Element {
  const closed = new AbortController();
  onCleanup(() => closed.abort());
  const { signal } = closed;
  const [started] = createResource(async () => {
    const { server, directory } = props;
    const login = await holdfast.mcp.login(server, { directory, signal });
    void attempt(waitForPerson);
    return login;
  });
  const finish = async (state: { status: string; problem: string | null }): Promise<void> => {
    const { server: name } = props;
    const { status, problem } = state;
    if (signal.aborted) return;
    if (status === "signedIn") showToast(() => t().mcp.signedIn({ name }), { tone: "good" });
    else showToast(() => t().mcp.signInFailed({ name, problem }), { tone: "bad" });
    props.onClose();
  };
  const waitForPerson = async (): Promise<void> => {
    const { server, directory } = props;
    while (!signal.aborted) {
      const state = await holdfast.mcp
        .finishLogin(server, { directory, wait, signal })
        .catch((error: unknown) => {
          if (signal.aborted) return null;
          throw error;
        });
      if (state === null) return;
      if (state.status !== "waiting") return finish(state);
    }
  };
  const paste = (event: SubmitEvent & { currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("callbackUrl");
    const callbackUrl = typeof typed === "string" ? typed.trim() : "";
    const { server, directory } = props;
    void attempt(async () => {
      const state = await holdfast.mcp.finishLogin(server, { directory, callbackUrl, signal });
      // Report only a failure here. If the user pasted a wrong address, the sign-in continues and they can paste again.
      // `waitForPerson` reports a success.
      if (state.status !== "failed") return;
      const { problem } = state;
      showToast(() => t().mcp.signInFailed({ name: server, problem }), { tone: "bad" });
    });
  };
  return (
    <Dialog title={t().mcp.signInTitle({ name: props.server })} onClose={() => props.onClose()}>
      <Show when={started.error === undefined} fallback={<p>{String(started.error?.message)}</p>}>
        <Show when={started()} fallback={<p class="quiet">{t().providers.signingIn}</p>}>
          {(login) => (
            <div class="stack">
              <Show when={webAddress(login().authorizationUrl)}>
                {(address) => (
                  <>
                    <p>{t().mcp.openPage}</p>
                    <p>
                      <a href={address()} target="_blank" rel="noopener noreferrer">
                        {address()}
                      </a>
                    </p>
                    <form class="stack" onSubmit={paste} autocomplete="off">
                      <label class="field">
                        <span class="quiet">{t().mcp.pasteHint}</span>
                        <input
                          name="callbackUrl"
                          type="url"
                          required
                          aria-label={t().mcp.lastPage}
                          placeholder={login().redirectUrl}
                        />
                      </label>
                      <div class="buttons">
                        <button type="submit" class="button">
                          {t().mcp.finish}
                        </button>
                      </div>
                    </form>
                  </>
                )}
              </Show>
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

/**
 * Returns the address only if it is an http or https address: an MCP server chooses the address, and could send a
 * script.
 */
function webAddress(address: string | null): string | null {
  const protocol = address === null ? null : URL.parse(address)?.protocol;
  return protocol === "https:" || protocol === "http:" ? address : null;
}
