import { createUniqueId, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { WorkspaceChoices } from "../../state/workspace.ts";

/** Agent and model for the next prompts; empty: the directory's default. */
export interface RunChoice {
  readonly agent: string;
  readonly model: string;
}

/** Fields to choose the agent and the model. Shown only if there is more than one. */
export function RunChoiceFields(props: {
  choices: WorkspaceChoices;
  value: RunChoice;
  onChange: (value: RunChoice) => void;
}): JSX.Element {
  const listId = createUniqueId();
  const workspace = () => props.choices.workspace;
  return (
    <Show when={workspace()}>
      {(known) => (
        <>
          <Show when={known().agents.length > 1}>
            <select
              class="run-choice"
              aria-label={t().composer.agent}
              title={t().composer.agent}
              value={props.value.agent}
              onChange={(event) =>
                props.onChange({ ...props.value, agent: event.currentTarget.value })
              }
            >
              <option value="">{known().agent ?? t().composer.defaultAgent}</option>
              <For each={known().agents.filter(({ name }) => name !== known().agent)}>
                {(agent) => (
                  <option value={agent.name} title={agent.description}>
                    {agent.name}
                  </option>
                )}
              </For>
            </select>
          </Show>
          <Show when={known().model}>
            {(usual) => (
              <>
                <input
                  class="run-choice"
                  list={listId}
                  aria-label={t().composer.model}
                  title={t().composer.model}
                  placeholder={usual()}
                  spellcheck={false}
                  value={props.value.model}
                  onChange={(event) =>
                    props.onChange({ ...props.value, model: event.currentTarget.value.trim() })
                  }
                />
                <datalist id={listId}>
                  <For each={props.choices.models}>{(model) => <option value={model} />}</For>
                </datalist>
              </>
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
