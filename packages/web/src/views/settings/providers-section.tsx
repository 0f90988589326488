import type { Provider } from "@holdfast/sdk";
import { createResource, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { isAdmin } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { change } from "../../state/maintenance.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "./loaded.tsx";
import { SignInDialog } from "./sign-in-dialog.tsx";

/** Model providers: connect, disconnect and test them. */
export function ProvidersSection(): JSX.Element {
  const [providers, { refetch }] = createResource(() => holdfast.providers.list());
  const [connecting, setConnecting] = createSignal<Provider | "other" | null>(null);
  const [isSigningIn, setSigningIn] = createSignal(false);
  const update = async (work: Parameters<typeof change>[0]): Promise<void> => {
    await change(work);
    await refetch();
  };
  const test = (name: string): Promise<void> =>
    attempt(async () => {
      const { works, problem, models } = await holdfast.providers.test(name);
      const words = t().providers;
      showToast(
        () =>
          works ? words.works({ name, models: models.length }) : words.fails({ name, problem }),
        { tone: works ? "good" : "bad" },
      );
    });
  return (
    <Loaded resource={providers}>
      {(list) => (
        <div class="stack">
          <p class="quiet">
            {list().model === null
              ? t().providers.demo
              : t().providers.defaultModel({ model: list().model ?? "" })}
          </p>
          <ul class="cards">
            <For each={list().items}>
              {(provider) => (
                <li class="card">
                  <div class="card-head">
                    <span class={`dot ${provider.status}`} aria-hidden="true" />
                    <strong>{provider.name}</strong>
                    <span class="quiet">{t().providers.status[provider.status]}</span>
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
                          onClick={() =>
                            void update(() => holdfast.providers.disconnect(provider.name))
                          }
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
            <button type="button" class="button" onClick={() => setConnecting("other")}>
              {t().providers.connectOther({ isFirst: list().items.length === 0 })}
            </button>
            <button type="button" class="button" onClick={() => setSigningIn(true)}>
              {t().providers.signIn}
            </button>
          </Show>
          <Show when={isSigningIn()}>
            <SignInDialog
              provider="copilot"
              onClose={() => {
                setSigningIn(false);
                void refetch();
              }}
            />
          </Show>
          <Show when={connecting()} keyed>
            {(provider) => (
              <ConnectDialog
                provider={provider === "other" ? null : provider}
                onClose={() => setConnecting(null)}
                onConnect={(name, input) => {
                  setConnecting(null);
                  void update(() => holdfast.providers.connect(name, input));
                }}
              />
            )}
          </Show>
        </div>
      )}
    </Loaded>
  );
}

type ConnectInput = NonNullable<Parameters<typeof holdfast.providers.connect>[1]>;

function ConnectDialog(props: {
  provider: Provider | null;
  onClose: () => void;
  onConnect: (name: string, input: ConnectInput) => void;
}): JSX.Element {
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const field = (name: string): string => {
      const value = data.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const given = (name: string): { [key: string]: string } =>
      field(name) === "" ? {} : { [name]: field(name) };
    const isNew = props.provider === null;
    props.onConnect(props.provider?.name ?? field("name"), {
      key: field("key") === "" ? null : field("key"),
      ...given("baseUrl"),
      ...given("defaultModel"),
      ...(isNew && field("baseUrl") !== "" ? { protocol: "compatible" as const } : {}),
    });
  };
  return (
    <Dialog
      title={t().providers.connectTitle({ name: props.provider?.name ?? "" })}
      onClose={() => props.onClose()}
    >
      <form class="stack" onSubmit={submit} autocomplete="off">
        <Show when={props.provider === null}>
          <label class="field">
            <span>{t().providers.name}</span>
            <input name="name" required autofocus spellcheck={false} />
          </label>
        </Show>
        <label class="field">
          <span>{t().providers.key}</span>
          <input name="key" type="password" autocomplete="off" />
        </label>
        <p class="quiet">{t().providers.keyHint}</p>
        <label class="field">
          <span>{t().providers.addressOptional}</span>
          <input name="baseUrl" type="url" placeholder={props.provider?.baseUrl ?? ""} />
        </label>
        <label class="field">
          <span>{t().providers.modelOptional}</span>
          <input
            name="defaultModel"
            spellcheck={false}
            placeholder={props.provider?.defaultModel ?? ""}
          />
        </label>
        <div class="buttons">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {t().app.cancel}
          </button>
          <button type="submit" class="button primary">
            {t().providers.connect}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
