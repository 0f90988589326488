import { fieldsOf } from "../../base/json-rpc.ts";

/** Models, modes and slash commands that a hosted agent offers in a session. */
export interface AgentChoices {
  readonly models: readonly Choice[];
  /** Id of the current model. Null: the agent does not report it. */
  readonly model: string | null;
  readonly modes: readonly Choice[];
  readonly mode: string | null;
  readonly commands: readonly AgentCommand[];
  /** Ids of the config options that select the model and the mode. Null: use an older method of ACP instead. */
  readonly options: { readonly model: string | null; readonly mode: string | null };
}

export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface AgentCommand {
  readonly name: string;
  readonly description: string;
}

export const noChoices: AgentChoices = {
  models: [],
  model: null,
  modes: [],
  mode: null,
  commands: [],
  options: { model: null, mode: null },
};

const maxChoices = 500;
const maxName = 200;
const maxDescription = 500;

/** Reads the choices from the agent's response that opened a session. */
export function readChoices(answer: unknown): AgentChoices {
  const { models, modes, configOptions } = fieldsOf(answer);
  const { availableModels, currentModelId } = fieldsOf(models);
  const { availableModes, currentModeId } = fieldsOf(modes);
  const known: AgentChoices = {
    ...noChoices,
    models: listOf(availableModels, "modelId"),
    model: idOf(currentModelId),
    modes: listOf(availableModes, "id"),
    mode: idOf(currentModeId),
  };
  return withOptions(known, configOptions);
}

/** Applies an update from the agent. Returns the same object if the update does not concern the choices. */
export function updateChoices(choices: AgentChoices, update: unknown): AgentChoices {
  const fields = fieldsOf(update);
  switch (fields["sessionUpdate"]) {
    case "available_commands_update":
      return { ...choices, commands: listOf(fields["availableCommands"], "name").map(commandOf) };
    case "current_mode_update":
      return { ...choices, mode: idOf(fields["currentModeId"]) ?? choices.mode };
    case "config_option_update":
      return withOptions(choices, fields["configOptions"]);
    default:
      return choices;
  }
}

/**
 * Replaces models and modes with the values of the config options in the categories `model` and `mode`, if the agent
 * sent any.
 */
function withOptions(choices: AgentChoices, configOptions: unknown): AgentChoices {
  const all = Array.isArray(configOptions) ? configOptions.slice(0, maxChoices).map(fieldsOf) : [];
  const find = (category: string) => all.find((option) => option["category"] === category);
  const [model, mode] = [find("model"), find("mode")];
  return {
    ...choices,
    ...(model === undefined
      ? {}
      : { models: valuesOf(model["options"]), model: idOf(model["currentValue"]) }),
    ...(mode === undefined
      ? {}
      : { modes: valuesOf(mode["options"]), mode: idOf(mode["currentValue"]) }),
    options: {
      model: model === undefined ? choices.options.model : idOf(model["id"]),
      mode: mode === undefined ? choices.options.mode : idOf(mode["id"]),
    },
  };
}

/** Returns the values of a config option. The agent may send these values in groups. */
function valuesOf(options: unknown): readonly Choice[] {
  const all = Array.isArray(options) ? options.slice(0, maxChoices) : [];
  const flat = all.flatMap((option) => {
    const inner = fieldsOf(option)["options"];
    return Array.isArray(inner) ? inner : [option];
  });
  return listOf(flat, "value");
}

function listOf(items: unknown, idField: string): readonly Choice[] {
  const all = Array.isArray(items) ? items.slice(0, maxChoices) : [];
  return all.flatMap((item) => {
    const fields = fieldsOf(item);
    const id = idOf(fields[idField]);
    if (id === null) return [];
    const { name, description } = fields;
    return [
      {
        id,
        name: typeof name === "string" && name !== "" ? name.slice(0, maxName) : id,
        description: typeof description === "string" ? description.slice(0, maxDescription) : "",
      },
    ];
  });
}

/** Returns the value if it is a usable id: one line of text, because people read and type ids. */
function idOf(value: unknown): string | null {
  const isId = typeof value === "string" && value !== "" && value.length <= maxName;
  return isId && !/\p{Cc}/u.test(value) ? value : null;
}

function commandOf({ id, description }: Choice): AgentCommand {
  return { name: id, description };
}

/** Builds the request that sets a model or a mode: by a config option, or by the older method of ACP. */
export function choiceRequest(
  { options }: AgentChoices,
  { what, id }: { what: "model" | "mode"; id: string },
): readonly [method: string, params: object] {
  const configId = options[what];
  if (configId !== null) return ["session/set_config_option", { configId, value: id }];
  return what === "model"
    ? ["session/set_model", { modelId: id }]
    : ["session/set_mode", { modeId: id }];
}
