import type { SessionMode, Workspace } from "@holdfast/sdk";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { ConfigOption, SessionModes } from "./protocol.ts";

/** Agents and models that prompts in a session can name. `workspace.agent` answers prompts that name none. */
export interface Offer {
  readonly workspace: Pick<Workspace, "agent" | "agents" | "model">;
  /** In the form `provider/model`. */
  readonly models: readonly string[];
}

/** Agent and model for the next prompts; null: the default of the session or the directory. */
export interface Chosen {
  readonly agent: string | null;
  readonly model: string | null;
}

export const nothingChosen: Chosen = { agent: null, model: null };

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

/** Builds the select boxes for the mode, and for agents and models if there is something to choose. */
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
  const { model } = chosen;
  if (known?.isHosted === true) {
    const { models } = known;
    if (models.length === 0) return options;
    const isOffered = models.some(({ id }) => id === model);
    options.push({
      type: "select",
      id: "model",
      name: "Model",
      description: `Model of ${known.name} for the next prompts`,
      category: "model",
      currentValue: isOffered && model !== null ? model : usualModel,
      options: [
        { value: usualModel, name: "Do not change the model" },
        ...models.map(({ id, name }) => ({ value: id, name })),
      ],
    });
  } else if (usual !== null) {
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
  // Store null for the default agent, not its name. Then a command with its own agent uses that agent, and a later
  // change of the default takes effect.
  if (option.id === "agent") {
    return { ...chosen, agent: value === offer.workspace.agent ? null : value };
  }
  return option.id === "mode" ? chosen : { ...chosen, model: value === usualModel ? null : value };
}

/**
 * Returns the choices to send with a prompt. For an external (hosted) agent, only a model that the agent offers is
 * sent.
 */
export function namedBy({ workspace }: Offer, { agent, model }: Chosen): Chosen {
  const name = agent ?? workspace.agent;
  const known = workspace.agents.find((each) => each.name === name);
  const isOffered = known?.isHosted !== true || known.models.some(({ id }) => id === model);
  return { agent, model: isOffered ? model : null };
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
