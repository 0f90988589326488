import { createEffect, createSignal, For, lazy, onMount, Show, Suspense } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../i18n/text.ts";

// Loaded after the tiles are shown: most visits of the start page need no dialog.
const ProviderForm = lazy(() =>
  import("./settings/provider-form.tsx").then(({ ProviderForm }) => ({ default: ProviderForm })),
);
const SignInDialog = lazy(() =>
  import("./settings/sign-in-dialog.tsx").then(({ SignInDialog }) => ({ default: SignInDialog })),
);

interface Tile {
  /** Name of the provider. Null: the user enters the name. */
  readonly name: string | null;
  readonly label: () => string;
  readonly access: "key" | "signIn" | "address";
  /** Address of the page on which people create a key. */
  readonly keyPage?: string;
  /** Initial value of the address field. */
  readonly baseUrl?: string;
  /** Text above the fields of the form. */
  readonly notice?: string;
}

const tiles: readonly Tile[] = [
  {
    name: "anthropic",
    label: () => "Anthropic",
    access: "key",
    keyPage: "https://console.anthropic.com/settings/keys",
  },
  {
    name: "openai",
    label: () => "OpenAI",
    access: "key",
    keyPage: "https://platform.openai.com/api-keys",
  },
  {
    name: "google",
    label: () => "Google Gemini",
    access: "key",
    keyPage: "https://aistudio.google.com/apikey",
  },
  {
    name: "openrouter",
    label: () => "OpenRouter",
    access: "key",
    keyPage: "https://openrouter.ai/keys",
  },
  {
    name: "copilot",
    label: () => "GitHub Copilot",
    access: "signIn",
    keyPage: "https://github.com/settings/personal-access-tokens/new",
  },
  {
    name: "ollama",
    label: () => "Ollama",
    access: "address",
    baseUrl: "http://localhost:11434/v1",
  },
  { name: null, label: () => t().providers.other, access: "address" },
];

/** Buttons to connect a provider. Each shows whether the provider needs a key, a sign-in or an address. */
export function ConnectTiles(props: {
  onConnected: () => void;
  /** Called when a dialog opens or closes, so that the caller keeps the tiles while a dialog is open. */
  onOpen?: (isOpen: boolean) => void;
}): JSX.Element {
  const [chosen, setChosen] = createSignal<Tile | null>(null);
  onMount(() => void ProviderForm.preload());
  createEffect(() => props.onOpen?.(chosen() !== null));
  const close = (): void => {
    setChosen(null);
    props.onConnected();
  };
  return (
    <>
      <ul class="connect-tiles">
        <For each={tiles}>
          {(tile) => (
            <li>
              <button type="button" class="connect-tile" onClick={() => setChosen(tile)}>
                <strong>{tile.label()}</strong>
                <span>{t().providers.access[tile.access]}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
      <Suspense>
        <Show when={chosen()} keyed>
          {(tile) => (
            <Show
              when={tile.access === "signIn" ? tile.name : null}
              fallback={
                <ProviderForm
                  provider={null}
                  {...(tile.name === null ? {} : { name: tile.name, label: tile.label() })}
                  isOwnServer={tile.access === "address"}
                  {...(tile.baseUrl === undefined ? {} : { baseUrl: tile.baseUrl })}
                  {...(tile.keyPage === undefined ? {} : { keyPage: tile.keyPage })}
                  {...(tile.notice === undefined ? {} : { notice: tile.notice })}
                  onClose={() => setChosen(null)}
                  onSaved={close}
                />
              }
            >
              {(name) => (
                <SignInDialog
                  provider={name()}
                  onRefused={(message) =>
                    setChosen({
                      ...tile,
                      access: "key",
                      notice: t().providers.signInRefused({ message }),
                    })
                  }
                  onClose={close}
                />
              )}
            </Show>
          )}
        </Show>
      </Suspense>
    </>
  );
}
