import type { Webhook, WebhookInput } from "@holdfast/sdk";
import { createResource, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Ago } from "../../ui/time.tsx";
import { Loaded } from "./loaded.tsx";
import { NewSecret } from "./new-secret.tsx";

const eventTypes = ["notice", "prompt.settled", "ask.opened", "ask.closed"] as const;

interface Listed {
  readonly webhook: Webhook;
  /** Why the latest delivery failed; null if it did not fail. */
  readonly problem: string | null;
}

/** Webhooks with their latest failure. */
export function WebhooksSection(): JSX.Element {
  const [webhooks, { refetch }] = createResource(readWebhooks);
  const change = (work: () => Promise<unknown>): void =>
    void attempt(async () => {
      await work();
      await refetch();
    });
  const test = async (webhookId: string): Promise<void> => {
    const { status, problem } = await holdfast.webhooks.test(webhookId);
    const isGood = status === "delivered";
    const words = t().webhooks;
    showToast(() => (isGood ? words.tested : words.testFailed({ problem })), {
      tone: isGood ? "good" : "bad",
    });
  };
  return (
    <div class="stack">
      <p class="quiet">{t().webhooks.text}</p>
      <Loaded resource={webhooks}>
        {(list) => (
          <ul class="cards">
            <For each={list()} fallback={<li class="quiet">{t().webhooks.none}</li>}>
              {({ webhook, problem }) => (
                <li class="card">
                  <div class="card-head">
                    <span
                      class={`dot ${webhook.failingSince === null ? "connected" : "failed"}`}
                      aria-hidden="true"
                    />
                    <code>{webhook.url}</code>
                    <button
                      type="button"
                      class="button small push"
                      onClick={() => change(() => test(webhook.webhookId))}
                    >
                      {t().webhooks.test}
                    </button>
                    <button
                      type="button"
                      class="button small"
                      onClick={() => change(() => holdfast.webhooks.remove(webhook.webhookId))}
                    >
                      {t().webhooks.remove}
                    </button>
                  </div>
                  <div>
                    <For each={webhook.events}>{(each) => <code class="tag">{each}</code>}</For>
                  </div>
                  <Show when={problem}>
                    <p class="problem">
                      {problem} <Show when={webhook.failingSince}>{(at) => <Ago at={at()} />}</Show>
                    </p>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <NewWebhook onCreated={() => void refetch()} />
    </div>
  );
}

async function readWebhooks(): Promise<readonly Listed[]> {
  const { items } = await holdfast.webhooks.list();
  return Promise.all(
    items.map(async (webhook) => {
      const { items: deliveries } = await holdfast.webhooks.deliveries(webhook.webhookId, {
        limit: 1,
      });
      return { webhook, problem: deliveries[0]?.problem ?? null };
    }),
  );
}

function NewWebhook(props: { onCreated: () => void }): JSX.Element {
  const [secret, setSecret] = createSignal<string | null>(null);
  const [events, setEvents] = createSignal<WebhookInput["events"]>(["notice"]);
  let url: HTMLInputElement | undefined;
  const toggle = (type: (typeof eventTypes)[number], isOn: boolean): void => {
    setEvents((before) => [...before.filter((each) => each !== type), ...(isOn ? [type] : [])]);
  };
  const create = (event: SubmitEvent): void => {
    event.preventDefault();
    void attempt(async () => {
      const input = { url: url?.value.trim() ?? "", events: events() };
      setSecret((await holdfast.webhooks.create(input)).secret);
      props.onCreated();
    });
  };
  return (
    <form class="card" onSubmit={create}>
      <label class="field inline">
        <span>{t().webhooks.url}</span>
        <input ref={url} type="url" required placeholder="https://" spellcheck={false} />
      </label>
      <fieldset class="setting">
        <legend>{t().webhooks.events}</legend>
        <For each={eventTypes}>
          {(type) => (
            <label class="check">
              <input
                type="checkbox"
                checked={events().includes(type)}
                onChange={(event) => toggle(type, event.currentTarget.checked)}
              />
              {t().webhooks.types[type]}
            </label>
          )}
        </For>
      </fieldset>
      <div class="buttons">
        <button type="submit" class="button" disabled={events().length === 0}>
          {t().webhooks.create}
        </button>
      </div>
      <NewSecret hint={t().webhooks.secret} secret={secret()} />
    </form>
  );
}
