import type { SessionMode, Workspace } from "@holdfast/sdk";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { ConfigOption, SessionModes } from "./protocol.ts";

/**
 * Agents, models and commands that prompts in a session can name. `workspace.agent` answers prompts that name no agent.
 */
export interface Offer {
  readonly workspace: Pick<Workspace, "agent" | "agents" | "model" | "commands">;
  /** In the form `provider/model`. */
  readonly models: readonly string[];
}

/** Choices for the next prompts; null: the default of the session or the directory. */
export interface Chosen {
  readonly agent: string | null;
  /** Model of Holdfast's own agents. */
  readonly model: string | null;
  /** Model and mode of an external (hosted) agent, which defines its own. */
  readonly agentModel: string | null;
  readonly agentMode: string | null;
}

/** The choices that a prompt names. */
export interface NamedChoices {
  readonly agent?: string;
  readonly model?: string;
  readonly agentMode?: string;
}

export interface OfferedCommand {
  readonly name: string;
  readonly description: string;
}

export const nothingChosen: Chosen = {
  agent: null,
  model: null,
  agentModel: null,
  agentMode: null,
};

/** `source` of Holdfast's built-in commands. */
const builtInSource = "Holdfast";

/** Option value for the default model. It cannot be a model name, because model names contain a slash. */
const usualModel = "default";

const modeOptions: readonly { value: SessionMode; name: string; description: string }[] = [
  { value: "ask", name: "Ask", description: "Changes and commands need your permission" },
  {
    value: "acceptEdits",
    name: "Accept edits",
    description: "Files in the directory change without a question",
  },
  { value: "plan", name: "Plan", description: "The agent reads and plans, and nothing is changed" },
];

/** Returns the mode with this name, or null if there is none. */
export function readMode(value: string): SessionMode | null {
  return modeOptions.find((option) => option.value === value)?.value ?? null;
}

/**
 * Builds the select boxes for the permission mode, and for the agents, the models and the modes of an external (hosted)
 * agent if there is something to choose.
 */
export function configOptions(
  offer: Offer,
  { chosen, mode }: { chosen: Chosen; mode: SessionMode },
): readonly ConfigOption[] {
  const { agents } = offer.workspace;
  const agent = chosen.agent ?? offer.workspace.agent;
  const known = agents.find(({ name }) => name === agent);
  const usual = known?.model ?? offer.workspace.model;
  const options: ConfigOption[] = [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      description: "Permission mode of the session",
      category: "mode",
      currentValue: mode,
      options: modeOptions,
    },
  ];
  if (agents.length > 1 && agent !== null) {
    // The session's agent may be missing in the list: the demo agent, or an agent that was removed from the config.
    const offered = known === undefined ? [...agents, { name: agent, description: "" }] : agents;
    const values = offered.map(({ name, description }) => {
      return { value: name, name, ...(description === "" ? {} : { description }) };
    });
    options.push({
      type: "select",
      id: "agent",
      name: "Agent",
      description: "Agent for the next prompts",
      category: "_agent",
      currentValue: agent,
      options: values,
    });
  }
  if (known?.isHosted === true) return [...options, ...hostedOptions(known, chosen)];
  const { model } = chosen;
  if (usual !== null) {
    const named = new Set([...offer.models, ...(model === null ? [] : [model])]);
    options.push({
      type: "select",
      id: "model",
      name: "Model",
      description: "Model for the next prompts",
      category: "model",
      currentValue: model ?? usualModel,
      options: [
        { value: usualModel, name: `Default (${usual})` },
        ...[...named].map((value) => ({ value, name: value })),
      ],
    });
  }
  return options;
}

type OfferedAgent = Workspace["agents"][number];

/** Builds the select boxes for the models and modes of an external (hosted) agent, if it has reported any. */
function hostedOptions(
  { name: agent, models, modes }: OfferedAgent,
  { agentModel, agentMode }: Chosen,
): readonly ConfigOption[] {
  const model: ConfigOption = {
    type: "select",
    id: "model",
    name: "Model",
    description: `Model of ${agent} for the next prompts`,
    category: "model",
    currentValue: offeredId(models, agentModel) ?? unchangedValue(models),
    options: [
      { value: unchangedValue(models), name: "Do not change the model" },
      ...models.map(optionOf),
    ],
  };
  const mode: ConfigOption = {
    type: "select",
    id: "agentMode",
    name: `Mode of ${agent}`,
    description: `Mode of ${agent} for the next prompts`,
    category: "_agent_mode",
    currentValue: offeredId(modes, agentMode) ?? unchangedValue(modes),
    options: [
      { value: unchangedValue(modes), name: "Do not change the mode" },
      ...modes.map(optionOf),
    ],
  };
  return [...(models.length === 0 ? [] : [model]), ...(modes.length === 0 ? [] : [mode])];
}

function optionOf({
  id,
  name,
  description,
}: OfferedAgent["models"][number]): ConfigOption["options"][number] {
  return { value: id, name, ...(description === "" ? {} : { description }) };
}

function offeredId(choices: OfferedAgent["models"], id: string | null): string | null {
  return choices.find((choice) => choice.id === id)?.id ?? null;
}

/** Returns the option value for "no choice": a word that is not the id of one of the choices. */
function unchangedValue(choices: OfferedAgent["models"]): string {
  let value = "unchanged";
  while (offeredId(choices, value) !== null) value += "_";
  return value;
}

/** Returns the permission modes in the older form of the protocol. */
export function modesOf(mode: SessionMode): SessionModes {
  return {
    currentModeId: mode,
    availableModes: modeOptions.map(({ value, ...words }) => ({ id: value, ...words })),
  };
}

export function choose(
  offer: Offer,
  chosen: Chosen,
  { configId, value }: { configId: string; value: string },
): Chosen {
  const options = configOptions(offer, { chosen, mode: "ask" });
  const option = options.find(({ id }) => id === configId);
  if (option === undefined) throw notThere(`setting ${configId}`, options, ({ id }) => id);
  if (!option.options.some((each) => each.value === value)) {
    throw notThere(`${option.id} ${value}`, option.options, (each) => each.value);
  }
  switch (option.id) {
    case "agent":
      // Null selects the default agent: commands with an agent of their own keep it, and a later change of the default
      // takes effect.
      return { ...chosen, agent: value === offer.workspace.agent ? null : value };
    case "agentMode":
      return { ...chosen, agentMode: offeredId(hostedAgent(offer, chosen)?.modes ?? [], value) };
    case "model": {
      const hosted = hostedAgent(offer, chosen);
      if (hosted !== null) return { ...chosen, agentModel: offeredId(hosted.models, value) };
      return { ...chosen, model: value === usualModel ? null : value };
    }
    default:
      return chosen;
  }
}

/** Returns the agent of the next prompts if it is an external (hosted) agent. */
function hostedAgent({ workspace }: Offer, { agent }: Chosen): OfferedAgent | null {
  const name = agent ?? workspace.agent;
  return workspace.agents.find((each) => each.name === name && each.isHosted) ?? null;
}

/**
 * Returns the choices to send with a prompt. For an external (hosted) agent, only a model and a mode that the agent
 * offers are sent.
 */
export function namedBy(offer: Offer, chosen: Chosen): NamedChoices {
  const { agent } = chosen;
  const hosted = hostedAgent(offer, chosen);
  const model = hosted === null ? chosen.model : offeredId(hosted.models, chosen.agentModel);
  const agentMode = hosted === null ? null : offeredId(hosted.modes, chosen.agentMode);
  return {
    ...(agent === null ? {} : { agent }),
    ...(model === null ? {} : { model }),
    ...(agentMode === null ? {} : { agentMode }),
  };
}

/**
 * Returns the commands of the directory, and those of the agent of the next prompts if it is an external (hosted) one.
 * Of two commands with the same name, the listed one is the one that the server uses.
 */
export function commandsOf(offer: Offer, chosen: Chosen): readonly OfferedCommand[] {
  const hosted = hostedAgent(offer, chosen)?.commands ?? [];
  const { commands } = offer.workspace;
  const isOffered = (name: string): boolean => hosted.some((command) => command.name === name);
  // A hosted agent's command replaces a built-in command of Holdfast, but not a command of the directory.
  const own = commands.filter(({ name, source }) => source !== builtInSource || !isOffered(name));
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...hosted.filter(({ name }) => !names.has(name))].map(
    ({ name, description }) => ({ name, description }),
  );
}

/**
 * Drops an agent that no longer exists when the session is opened again. Models are kept, because
 * the list of models may be incomplete.
 */
export function stillOffered({ workspace }: Offer, chosen: Chosen): Chosen {
  const isThere = workspace.agents.some(({ name }) => name === chosen.agent);
  return isThere ? chosen : { ...chosen, agent: null };
}

function notThere<Item>(
  what: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
): RpcError {
  const names = items.length === 0 ? "nothing" : items.map(nameOf).join(", ");
  const message = `there is no ${what}; available: ${names}`;
  return new RpcError({ code: rpcCodes.invalidParams, message });
}
