import type { Effort, PromptOptions, Workspace } from "@holdfast/sdk";
import { For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { WorkspaceChoices } from "../../state/workspace.ts";
import { ModelPicker } from "../model-picker.tsx";

/** Agent, model and effort for the next prompts. An empty value means the directory's default. */
export interface RunChoice {
  readonly agent: string;
  readonly model: string;
  readonly effort: Effort | "";
  /** Mode that an external (hosted) agent defines. */
  readonly agentMode: string;
}

export const usualChoice: RunChoice = { agent: "", model: "", effort: "", agentMode: "" };

type OfferedAgent = Workspace["agents"][number];

/** Returns the chosen agent if it is an external (hosted) agent: another program with its own models and modes. */
export function hostedAgent(
  workspace: Workspace | null,
  { agent }: Pick<RunChoice, "agent">,
): OfferedAgent | null {
  const name = agent === "" ? workspace?.agent : agent;
  return workspace?.agents.find((each) => each.name === name && each.isHosted) ?? null;
}

/**
 * Returns the agent, model, effort and mode that the user selected, as fields of a prompt. For an external (hosted)
 * agent, a model or mode that the agent does not offer is left out.
 */
export function chosenOptions(
  workspace: Workspace | null,
  { agent, model, effort, agentMode }: RunChoice,
): Pick<PromptOptions, "agent" | "model" | "effort" | "agentMode"> {
  const hosted = hostedAgent(workspace, { agent });
  const offers = (choices: OfferedAgent["models"], id: string): boolean =>
    choices.some((choice) => choice.id === id);
  if (hosted !== null) {
    return {
      ...(agent === "" ? {} : { agent }),
      ...(offers(hosted.models, model) ? { model } : {}),
      ...(offers(hosted.modes, agentMode) ? { agentMode } : {}),
    };
  }
  return {
    ...(agent === "" ? {} : { agent }),
    ...(model === "" ? {} : { model }),
    ...(effort === "" ? {} : { effort }),
  };
}

const efforts: readonly Effort[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Fields to choose the agent, the model and its effort. The agent can be chosen only if there is more than one. */
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
          <Show when={hostedAgent(known(), props.value)}>
            {(agent) => (
              <>
                <OfferedField
                  label={t().composer.agentModel({ agent: agent().name })}
                  choices={agent().models}
                  value={props.value.model}
                  onChange={(model) => props.onChange({ ...props.value, model })}
                />
                <OfferedField
                  label={t().composer.agentMode({ agent: agent().name })}
                  choices={agent().modes}
                  value={props.value.agentMode}
                  onChange={(agentMode) => props.onChange({ ...props.value, agentMode })}
                />
              </>
            )}
          </Show>
          <Show when={hostedAgent(known(), props.value) === null && known().model}>
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

/**
 * A list of models or modes that an external (hosted) agent offers. Without a choice, the agent keeps its current one.
 */
function OfferedField(props: {
  label: string;
  choices: OfferedAgent["models"];
  value: string;
  onChange: (id: string) => void;
}): JSX.Element {
  const value = () => (props.choices.some(({ id }) => id === props.value) ? props.value : "");
  return (
    <Show when={props.choices.length > 0}>
      <select
        class="run-choice"
        aria-label={props.label}
        title={props.label}
        value={value()}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        <option value="">{props.label}</option>
        <For each={props.choices}>
          {({ id, name, description }) => (
            <option value={id} title={description}>
              {name}
            </option>
          )}
        </For>
      </select>
    </Show>
  );
}
