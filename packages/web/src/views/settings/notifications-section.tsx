import { createResource, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { turnOnNotifications } from "../../state/notify.ts";
import { sessions } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { changeSettings, notify, push } from "../../state/settings.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Loaded } from "./loaded.tsx";

/** Notifications of this browser, devices that receive push messages, quiet hours and muted sessions. */
export function NotificationsSection(): JSX.Element {
  return (
    <div class="stack">
      <fieldset class="setting">
        <legend>{t().settings.notifications}</legend>
        <label class="check">
          <input
            type="checkbox"
            checked={notify()}
            onChange={(event) => {
              if (event.currentTarget.checked) void attempt(turnOnNotifications);
              else changeSettings({ notify: false });
            }}
          />
          {t().settings.notify}
        </label>
      </fieldset>
      <Devices />
      <Quiet />
    </div>
  );
}

// Import `push.ts` dynamically. With a static import, the bundler would put it into the chunk of the settings, and
// every page that receives push messages would load that whole chunk.
const loadPush = () => import("../../state/push.ts");

/** Why this browser cannot receive push messages; null if it can. */
function pushProblem(): "insecure" | "unsupported" | null {
  if (!globalThis.isSecureContext) return "insecure";
  return "serviceWorker" in navigator && "PushManager" in window ? null : "unsupported";
}

function Devices(): JSX.Element {
  const [devices, { refetch }] = createResource(() => holdfast.notifications.devices());
  const [isBusy, setBusy] = createSignal(false);
  const work = (action: () => Promise<unknown>): void => {
    setBusy(true);
    void attempt(action)
      .then(() => refetch())
      .finally(() => setBusy(false));
  };
  const isOwn = (subscriptionId: string): boolean => push() === subscriptionId;
  const remove = (subscriptionId: string): Promise<void> =>
    isOwn(subscriptionId)
      ? loadPush().then(({ turnOffPush }) => turnOffPush(subscriptionId))
      : holdfast.notifications.removeDevice(subscriptionId);
  const test = async (subscriptionId: string): Promise<void> => {
    const { problem } = await holdfast.notifications.testDevice(subscriptionId);
    const words = t().notifications;
    showToast(() => (problem === null ? words.tested : words.testFailed({ problem })), {
      tone: problem === null ? "good" : "bad",
    });
  };
  return (
    <section class="stack">
      <h2 class="section-title">{t().notifications.push}</h2>
      <p class="quiet">{t().notifications.pushText}</p>
      <Show
        when={pushProblem()}
        fallback={
          <Show when={push() === null}>
            <button
              type="button"
              class="button primary"
              disabled={isBusy()}
              onClick={() => work(() => loadPush().then(({ turnOnPush }) => turnOnPush()))}
            >
              {t().notifications.turnOn}
            </button>
          </Show>
        }
      >
        {(problem) => <p class="problem">{t().notifications.problems[problem()]}</p>}
      </Show>
      <Loaded resource={devices}>
        {(known) => (
          <ul class="cards">
            <For each={known().items} fallback={<li class="quiet">{t().notifications.none}</li>}>
              {(device) => (
                <li class="card">
                  <div class="card-head">
                    <span
                      class={`dot ${device.failingSince === null ? "connected" : "failed"}`}
                      aria-hidden="true"
                    />
                    <strong>{device.name ?? device.service}</strong>
                    <Show when={isOwn(device.subscriptionId)}>
                      <span class="quiet">{t().settings.account}</span>
                    </Show>
                    <button
                      type="button"
                      class="button small push"
                      disabled={isBusy()}
                      onClick={() => work(() => test(device.subscriptionId))}
                    >
                      {t().notifications.test}
                    </button>
                    <button
                      type="button"
                      class="button small"
                      disabled={isBusy()}
                      onClick={() => work(() => remove(device.subscriptionId))}
                    >
                      {t().notifications.turnOff}
                    </button>
                  </div>
                  <Show when={device.problem}>
                    {(problem) => <p class="problem">{problem()}</p>}
                  </Show>
                </li>
              )}
            </For>
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Quiet(): JSX.Element {
  const [chosen, { mutate }] = createResource(() => holdfast.notifications.settings());
  const save = (input: Parameters<typeof holdfast.notifications.change>[0]): void =>
    void attempt(async () => mutate(await holdfast.notifications.change(input)));
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return (
    <Loaded resource={chosen}>
      {(known) => {
        const hours = () => known().quietHours;
        const change = (part: { from?: string; to?: string }): void => {
          const before = hours() ?? usualHours;
          const next = { from: before.from, to: before.to, ...part };
          if (next.from !== "" && next.to !== "") save({ quietHours: { ...next, timeZone } });
        };
        return (
          <>
            <fieldset class="setting">
              <legend>{t().notifications.quietHours}</legend>
              <label class="check">
                <input
                  type="checkbox"
                  checked={hours() !== null}
                  onChange={(event) => {
                    if (event.currentTarget.checked) change({});
                    else save({ quietHours: null });
                  }}
                />
                {t().notifications.quietText}
              </label>
              <Show when={hours()}>
                {(shown) => (
                  <div class="buttons times">
                    <label>
                      {t().notifications.from}{" "}
                      <input
                        type="time"
                        value={shown().from}
                        onChange={(event) => change({ from: event.currentTarget.value })}
                      />
                    </label>
                    <label>
                      {t().notifications.to}{" "}
                      <input
                        type="time"
                        value={shown().to}
                        onChange={(event) => change({ to: event.currentTarget.value })}
                      />
                    </label>
                    <span class="quiet">{shown().timeZone}</span>
                  </div>
                )}
              </Show>
            </fieldset>
            <Show when={known().muted.length > 0}>
              <h2 class="section-title">{t().notifications.muted}</h2>
              <ul class="cards">
                <For each={known().muted}>
                  {(sessionId) => (
                    <li class="card">
                      <div class="card-head">
                        <strong>{shownTitle(sessions[sessionId], sessionId)}</strong>
                        <button
                          type="button"
                          class="button small push"
                          onClick={() => save({ unmute: [sessionId] })}
                        >
                          {t().notifications.unmute}
                        </button>
                      </div>
                    </li>
                  )}
                </For>
              </ul>
            </Show>
          </>
        );
      }}
    </Loaded>
  );
}

const usualHours = { from: "22:00", to: "07:00" };
