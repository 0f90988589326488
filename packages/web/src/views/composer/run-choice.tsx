import type { Effort, PromptOptions, Workspace } from "@holdfast/sdk";
import { createSignal, For, Show } from "solid-js";
import type { JSX, Signal } from "solid-js";
import { t } from "../../i18n/text.ts";
import type { WorkspaceChoices } from "../../state/workspace.ts";
import { ModelPicker } from "../model-picker.tsx";

/** Model and effort for the next prompts. An empty value means the directory's default. */
export interface RunChoice {
  readonly model: string;
  readonly effort: Effort | "";
  /** Model and mode of an external (hosted) agent, which defines its own. */
  readonly agentModel: string;
  readonly agentMode: string;
}

export const usualChoice: RunChoice = { model: "", effort: "", agentModel: "", agentMode: "" };

/** Choices by session, so that they are kept while the user visits another page. */
const kept = new Map<string, Signal<RunChoice>>();

/** Returns the choice for the next prompts. `draft`: id of the session, or another name before the session exists. */
export function runChoiceOf(draft: string): Signal<RunChoice> {
  const choice = kept.get(draft) ?? createSignal(usualChoice);
  kept.set(draft, choice);
  return choice;
}

type OfferedAgent = Workspace["agents"][number];

/**
 * Returns the session's agent if it is an external (hosted) agent: another program with its own models and modes. `agent`
 * null: the default agent of the directory.
 */
export function hostedAgent(
  workspace: Workspace | null,
  agent: string | null,
): OfferedAgent | null {
  const name = agent ?? workspace?.agent;
  return workspace?.agents.find((each) => each.name === name && each.isHosted) ?? null;
}

/**
 * Returns the model, effort and mode that the user selected, as fields of a prompt. For an external (hosted) agent, a
 * model or mode that the agent does not offer is left out.
 */
export function chosenOptions(
  hosted: OfferedAgent | null,
  { model, effort, agentModel, agentMode }: RunChoice,
): Pick<PromptOptions, "model" | "effort" | "agentMode"> {
  const offers = (choices: OfferedAgent["models"], id: string): boolean =>
    choices.some((choice) => choice.id === id);
  if (hosted !== null) {
    return {
      ...(offers(hosted.models, agentModel) ? { model: agentModel } : {}),
      ...(offers(hosted.modes, agentMode) ? { agentMode } : {}),
    };
  }
  return {
    ...(model === "" ? {} : { model }),
    ...(effort === "" ? {} : { effort }),
  };
}

/** Selects the model, effort and mode of a prompt. The opposite of `chosenOptions`. */
export function withOptions(
  hosted: OfferedAgent | null,
  choice: RunChoice,
  { model, effort, agentMode }: Pick<PromptOptions, "model" | "effort" | "agentMode">,
): RunChoice {
  return {
    ...choice,
    ...(model === undefined ? {} : hosted === null ? { model } : { agentModel: model }),
    ...(effort === undefined ? {} : { effort }),
    ...(agentMode === undefined ? {} : { agentMode }),
  };
}

const efforts: readonly Effort[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Fields to choose the agent, the model and its effort. The agent can be chosen only if there is more than one. */
export function RunChoiceFields(props: {
  choices: WorkspaceChoices;
  /** Agent of the session; null: the default agent of the directory. */
  agent: string | null;
  onAgent: (agent: string | null) => void;
  value: RunChoice;
  onChange: (value: RunChoice) => void;
}): JSX.Element {
  const workspace = () => props.choices.workspace;
  return (
    <Show when={workspace()}>
      {(known) => (
        <>
          <AgentField workspace={known()} value={props.agent} onChange={props.onAgent} />
          <Show when={hostedAgent(known(), props.agent)}>
            {(agent) => (
              <>
                <OfferedField
                  label={t().composer.agentModel({ agent: agent().name })}
                  choices={agent().models}
                  value={props.value.agentModel}
                  onChange={(agentModel) => props.onChange({ ...props.value, agentModel })}
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
          <Show when={hostedAgent(known(), props.agent) === null && known().model}>
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

/** The agent of the session, and the other agents of the directory. It is hidden if there is no choice. */
function AgentField(props: {
  workspace: Workspace;
  value: string | null;
  onChange: (agent: string | null) => void;
}): JSX.Element {
  const usual = () => props.workspace.agent;
  const value = () => (props.value === usual() ? "" : (props.value ?? ""));
  const others = (): readonly Pick<OfferedAgent, "name" | "description">[] => {
    const listed = props.workspace.agents.filter(({ name }) => name !== usual());
    // The session's agent may be missing in the list: the demo agent, or an agent that was removed from the config.
    const isListed = value() === "" || listed.some(({ name }) => name === value());
    return isListed ? listed : [...listed, { name: value(), description: "" }];
  };
  return (
    <Show when={others().length > 0}>
      <select
        class="run-choice"
        aria-label={t().composer.agent}
        title={t().composer.agent}
        onChange={({ currentTarget: { value: chosen } }) =>
          props.onChange(chosen === "" ? null : chosen)
        }
      >
        <option value="" selected={value() === ""}>
          {usual() ?? t().composer.defaultAgent}
        </option>
        <For each={others()}>
          {({ name, description }) => (
            <option value={name} title={description} selected={value() === name}>
              {name}
            </option>
          )}
        </For>
      </select>
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
