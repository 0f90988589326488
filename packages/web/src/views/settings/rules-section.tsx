import type { RememberedRule } from "@holdfast/sdk";
import { createResource, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { mayDecide } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { attempt } from "../../state/show-error.ts";
import { chosenDirectory, DirectoryPicker } from "./directory-picker.tsx";
import { Loaded } from "./loaded.tsx";

/** Permission rules of a directory that were stored when a person answered a permission request. */
export function RulesSection(): JSX.Element {
  const [rules, { mutate }] = createResource(chosenDirectory, (directory) =>
    holdfast.rules.list({ directory }),
  );
  const revoke = ({ scope, action, pattern }: RememberedRule): void => {
    const directory = chosenDirectory();
    if (directory === null) return;
    void attempt(async () =>
      mutate(await holdfast.rules.revoke({ directory, scope, action, pattern })),
    );
  };
  return (
    <div class="stack">
      <p class="quiet">{t().rules.text}</p>
      <DirectoryPicker />
      <Loaded resource={rules}>
        {(known) => (
          <>
            <For each={known().problems}>{(problem) => <p class="problem">{problem}</p>}</For>
            <ul class="cards">
              <For each={known().items} fallback={<li class="quiet">{t().rules.none}</li>}>
                {(rule) => (
                  <li class="card">
                    <div class="card-head">
                      <span
                        class={`dot ${rule.effect === "deny" ? "failed" : "connected"}`}
                        aria-hidden="true"
                      />
                      <span>{t().rules.effects[rule.effect]}</span>
                      <span class="quiet">{t().rules.actions[rule.action]}</span>
                      <code>{rule.pattern}</code>
                      <Show when={mayDecide()}>
                        <button
                          type="button"
                          class="button small push"
                          onClick={() => revoke(rule)}
                        >
                          {t().rules.revoke}
                        </button>
                      </Show>
                    </div>
                  </li>
                )}
              </For>
            </ul>
          </>
        )}
      </Loaded>
    </div>
  );
}
