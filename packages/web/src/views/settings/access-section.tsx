import type { Token } from "@holdfast/sdk";
import { createResource, createSignal, For, lazy, Show, Suspense } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { account, isAdmin } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { serverNow } from "../../state/server-clock.ts";
import { attempt } from "../../state/show-error.ts";
import { signOut } from "../../state/sign-out.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Ago } from "../../ui/time.tsx";
import { forgetConfigDrafts } from "./config-drafts.ts";
import { Loaded } from "./loaded.tsx";
import { NewToken } from "./new-token.tsx";

const DeviceLink = lazy(() =>
  import("./device-link.tsx").then(({ DeviceLink }) => ({ default: DeviceLink })),
);

/** This browser, a link for another device, access tokens and signed-in browsers. */
export function AccessSection(): JSX.Element {
  const [isLinking, setLinking] = createSignal(false);
  const leave = async (): Promise<void> => {
    await signOut();
    forgetConfigDrafts();
  };
  return (
    <div class="stack">
      <Show when={account()}>
        {(known) => (
          <fieldset class="setting">
            <legend>{t().settings.account}</legend>
            <p>{t().settings.accountText({ name: known().name, role: known().role })}</p>
            <div class="buttons">
              <button type="button" class="button" onClick={() => void attempt(leave)}>
                {t().access.signOut}
              </button>
              <Show when={isAdmin()}>
                <button type="button" class="button primary" onClick={() => setLinking(true)}>
                  {t().access.otherDevice}
                </button>
              </Show>
            </div>
          </fieldset>
        )}
      </Show>
      <Show when={isAdmin()}>
        <Tokens />
      </Show>
      <Show when={isLinking()}>
        <Suspense>
          <DeviceLink onClose={() => setLinking(false)} />
        </Suspense>
      </Show>
    </div>
  );
}

function Tokens(): JSX.Element {
  const [tokens, { refetch }] = createResource(() => holdfast.tokens.list());
  const [ending, setEnding] = createSignal<Token | null>(null);
  const good = (kind: Token["kind"]): readonly Token[] =>
    (tokens.latest ?? []).filter((token) => token.kind === kind && isGood(token));
  const end = (token: Token): void => {
    setEnding(null);
    void attempt(async () => {
      await holdfast.tokens.revoke(token.tokenId);
      await refetch();
    });
  };
  return (
    <Loaded resource={tokens}>
      {() => (
        <>
          <h2 class="section-title">{t().access.tokens}</h2>
          <TokenCards tokens={good("token")} action={t().access.revoke} onEnd={setEnding} />
          <NewToken onCreated={() => void refetch()} />
          <h2 class="section-title">{t().access.browsers}</h2>
          <TokenCards tokens={good("browser")} action={t().access.signOut} onEnd={setEnding} />
          <Show when={ending()} keyed>
            {(token) => (
              <EndDialog
                token={token}
                onClose={() => setEnding(null)}
                onConfirm={() => end(token)}
              />
            )}
          </Show>
        </>
      )}
    </Loaded>
  );
}

function TokenCards(props: {
  tokens: readonly Token[];
  action: string;
  onEnd: (token: Token) => void;
}): JSX.Element {
  const isOwn = (token: Token): boolean => token.tokenId === account()?.tokenId;
  return (
    <ul class="cards">
      <For each={props.tokens} fallback={<li class="quiet">{t().access.none}</li>}>
        {(token) => (
          <li class="card">
            <div class="card-head">
              <strong>{token.name}</strong>
              <span class="quiet">{token.role}</span>
              <Show when={isOwn(token)}>
                <span class="quiet">{t().settings.account}</span>
              </Show>
              <Show when={!isOwn(token)}>
                <button type="button" class="button small push" onClick={() => props.onEnd(token)}>
                  {props.action}
                </button>
              </Show>
            </div>
            <dl class="facts">
              <dt>{t().access.lastUsed}</dt>
              <dd>
                <Show when={token.lastUsedAt} fallback={t().access.never}>
                  {(at) => <Ago at={at()} />}
                </Show>
              </dd>
              <Show when={token.directories}>
                {(directories) => (
                  <>
                    <dt>{t().access.directories}</dt>
                    <dd>
                      <For each={directories()}>{(each) => <code>{each}</code>}</For>
                    </dd>
                  </>
                )}
              </Show>
            </dl>
          </li>
        )}
      </For>
    </ul>
  );
}

function EndDialog(props: {
  token: Token;
  onClose: () => void;
  onConfirm: () => void;
}): JSX.Element {
  const isBrowser = (): boolean => props.token.kind === "browser";
  return (
    <Dialog
      title={
        isBrowser()
          ? t().access.signOutTitle({ name: props.token.name })
          : t().access.revokeTitle({ name: props.token.name })
      }
      onClose={() => props.onClose()}
    >
      <div class="stack">
        <p>{isBrowser() ? t().access.signOutText : t().access.revokeText}</p>
        <div class="buttons">
          <button type="button" class="button" autofocus onClick={() => props.onClose()}>
            {t().app.cancel}
          </button>
          <button type="button" class="button dangerous" onClick={() => props.onConfirm()}>
            {isBrowser() ? t().access.signOut : t().access.revoke}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function isGood({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > serverNow());
}
