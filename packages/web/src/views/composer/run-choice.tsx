import type { Effort } from "@holdfast/sdk";
import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { WorkspaceChoices } from "../../state/workspace.ts";
import { ModelPicker } from "../model-picker.tsx";

/** Agent, model and effort for the next prompts; empty: the directory's default. */
export interface RunChoice {
  readonly agent: string;
  readonly model: string;
  readonly effort: Effort | "";
}

const efforts: readonly Effort[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Fields to choose the agent, the model and its effort. Agents are shown only if there is more than one. */
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
              <>
                <ModelPicker
                  value={props.value.model}
                  usual={usual()}
                  directory={known().directory}
                  onPick={(model) => props.onChange({ ...props.value, model })}
                />
                <select
                  class="run-choice"
                  aria-label={t().composer.effort}
                  title={t().composer.effort}
                  value={props.value.effort}
                  onChange={({ currentTarget: { value } }) =>
                    props.onChange({
                      ...props.value,
                      effort: efforts.find((effort) => effort === value) ?? "",
                    })
                  }
                >
                  <option value="">{t().composer.defaultEffort}</option>
                  <For each={efforts}>
                    {(effort) => <option value={effort}>{t().composer.efforts[effort]}</option>}
                  </For>
                </select>
              </>
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
