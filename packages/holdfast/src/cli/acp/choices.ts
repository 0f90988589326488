import type { Workspace } from "@holdfast/sdk";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { ConfigOption, SessionModes } from "./protocol.ts";

/** Agents and models that prompts in a directory can name. */
export interface Offer {
  readonly workspace: Pick<Workspace, "agent" | "agents" | "model">;
  /** In the form `provider/model`. */
  readonly models: readonly string[];
}

/** Agent and model for the next prompts; null: the directory's default. */
export interface Chosen {
  readonly agent: string | null;
  readonly model: string | null;
}

export const nothingChosen: Chosen = { agent: null, model: null };

/** Option value for the default model. It cannot be a model name, because model names contain a slash. */
const usualModel = "default";

/** Builds the select boxes for agents and models, if there is something to choose. */
export function configOptions(offer: Offer, chosen: Chosen): readonly ConfigOption[] {
  const { agents } = offer.workspace;
  const agent = chosen.agent ?? offer.workspace.agent;
  const usual = agents.find(({ name }) => name === agent)?.model ?? offer.workspace.model;
  const options: ConfigOption[] = [];
  if (agents.length > 1 && agent !== null) {
    const values = agents.map(({ name, description }) => {
      return { value: name, name, ...(description === "" ? {} : { description }) };
    });
    options.push({
      type: "select",
      id: "agent",
      name: "Agent",
      description: "Agent for the next prompts",
      category: "mode",
      currentValue: agent,
      options: values,
    });
  }
  if (usual !== null) {
    const { model } = chosen;
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

/** Returns the agents in the form of modes, for editors that support only modes. */
export function modesOf(options: readonly ConfigOption[]): SessionModes | null {
  const agents = options.find(({ id }) => id === "agent");
  if (agents === undefined) return null;
  return {
    currentModeId: agents.currentValue,
    availableModes: agents.options.map(({ value, ...words }) => ({ id: value, ...words })),
  };
}

export function choose(
  offer: Offer,
  chosen: Chosen,
  { configId, value }: { configId: string; value: string },
): Chosen {
  const options = configOptions(offer, chosen);
  const option = options.find(({ id }) => id === configId);
  if (option === undefined) throw notThere(`setting ${configId}`, options, ({ id }) => id);
  if (!option.options.some((each) => each.value === value)) {
    throw notThere(`${option.id} ${value}`, option.options, (each) => each.value);
  }
  // Store no name for the default agent: commands can have their own agent, and the default can change.
  if (option.id === "agent") {
    return { ...chosen, agent: value === offer.workspace.agent ? null : value };
  }
  return { ...chosen, model: value === usualModel ? null : value };
}

/**
 * Drops an agent that no longer exists when the session is opened again. Models are kept, because
 * not all are known.
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
