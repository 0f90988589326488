import type { Provider } from "@holdfast/sdk";
import { createResource, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { isAdmin } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { change } from "../../state/maintenance.ts";
import { lastTest, testProvider } from "../../state/provider-tests.ts";
import { attempt } from "../../state/show-error.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ConnectTiles } from "../connect-tiles.tsx";
import { Loaded } from "./loaded.tsx";
import { ProviderForm } from "./provider-form.tsx";

/** Model providers: connect, disconnect and test them. */
export function ProvidersSection(): JSX.Element {
  const [providers, { refetch }] = createResource(() => holdfast.providers.list());
  const [connecting, setConnecting] = createSignal<Provider | null>(null);
  const [leaving, setLeaving] = createSignal<Provider | null>(null);
  const update = async (work: Parameters<typeof change>[0]): Promise<void> => {
    await change(work);
    await refetch();
  };
  const test = (name: string): Promise<void> => attempt(() => testProvider(name));
  return (
    <Loaded resource={providers}>
      {(list) => (
        <div class="stack">
          <p class="quiet">
            {list().model === null
              ? list().items.length === 0
                ? t().providers.demo
                : t().providers.noModel
              : t().providers.defaultModel({ model: list().model ?? "" })}
          </p>
          <ul class="cards">
            <For each={list().items}>
              {(provider) => (
                <li class="card">
                  <div class="card-head">
                    <span class={`dot ${provider.status}`} aria-hidden="true" />
                    <strong>{provider.name}</strong>
                    <span class="quiet">{statusText(provider)}</span>
                  </div>
                  <dl class="facts">
                    <dt>{t().providers.key}</dt>
                    <dd>
                      <code>{provider.key ?? "–"}</code>
                      <Show when={provider.source}>
                        {(source) => <span class="quiet"> {t().providers.sources[source()]}</span>}
                      </Show>
                    </dd>
                    <dt>{t().providers.address}</dt>
                    <dd>
                      <code>{provider.baseUrl}</code>
                    </dd>
                    <Show when={provider.defaultModel}>
                      {(model) => (
                        <>
                          <dt>{t().providers.model}</dt>
                          <dd>
                            <code>{model()}</code>
                          </dd>
                        </>
                      )}
                    </Show>
                  </dl>
                  <Show when={isAdmin()}>
                    <div class="card-actions">
                      <button
                        type="button"
                        class="button small"
                        onClick={() => setConnecting(provider)}
                      >
                        {provider.status === "connected"
                          ? t().providers.reconnect
                          : t().providers.connect}
                      </button>
                      <Show when={provider.status === "connected"}>
                        <button
                          type="button"
                          class="button small"
                          onClick={() => void test(provider.name)}
                        >
                          {t().providers.test}
                        </button>
                        <button
                          type="button"
                          class="button small"
                          onClick={() => setLeaving(provider)}
                        >
                          {t().providers.disconnect}
                        </button>
                      </Show>
                    </div>
                  </Show>
                </li>
              )}
            </For>
          </ul>
          <Show when={isAdmin()}>
            <h2 class="section-title">
              {t().providers.connectOther({ isFirst: list().items.length === 0 })}
            </h2>
            <ConnectTiles onConnected={() => void refetch()} />
          </Show>
          <Show when={leaving()} keyed>
            {(provider) => (
              <DisconnectDialog
                provider={provider}
                onClose={() => setLeaving(null)}
                onConfirm={() => {
                  setLeaving(null);
                  void update(() => holdfast.providers.disconnect(provider.name));
                }}
              />
            )}
          </Show>
          <Show when={connecting()} keyed>
            {(provider) => (
              <ProviderForm
                provider={provider}
                onClose={() => setConnecting(null)}
                onSaved={() => {
                  setConnecting(null);
                  void refetch();
                }}
              />
            )}
          </Show>
        </div>
      )}
    </Loaded>
  );
}

/** Says "connected" only after a test: a stored key may be wrong. */
function statusText(provider: Provider): string {
  const words = t().providers.status;
  if (provider.status === "disconnected") return words.disconnected;
  const works = lastTest(provider);
  return works === null ? words.stored : works ? words.connected : words.failed;
}

function DisconnectDialog(props: {
  provider: Provider;
  onClose: () => void;
  onConfirm: () => void;
}): JSX.Element {
  return (
    <Dialog
      title={t().providers.disconnectTitle({ name: props.provider.name })}
      onClose={() => props.onClose()}
    >
      <div class="stack">
        <p>
          {props.provider.source === "file"
            ? t().providers.disconnectStored
            : t().providers.disconnectText}
        </p>
        <div class="buttons">
          <button type="button" class="button" autofocus onClick={() => props.onClose()}>
            {t().app.cancel}
          </button>
          <button type="button" class="button dangerous" onClick={() => props.onConfirm()}>
            {t().providers.disconnect}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
