import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { WorkspaceChoices } from "../../state/workspace.ts";
import { ModelPicker } from "../model-picker.tsx";

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
              <ModelPicker
                value={props.value.model}
                usual={usual()}
                directory={known().directory}
                onPick={(model) => props.onChange({ ...props.value, model })}
              />
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
