import type { Client } from "../client.ts";
import { reachServer } from "./reach-server.ts";
import { latestView } from "../session/destination.ts";
import { hostedAgent, refreshWorkspace } from "../session/hosted-agent.ts";

/** Lets the user choose the model of the next prompts, from the models that the connected providers list. */
export async function pickModel(client: Client, named: string): Promise<void> {
  if (hostedAgent(client) !== null) return pickOfferedModel(client, named);
  if (named !== "") {
    client.model = named === "default" ? null : named;
    return client.say(`Model: ${client.model ?? "the default of the directory"}`);
  }
  const holdfast = await reachServer(client);
  if (holdfast === null) return;
  client.say("Loading models…");
  try {
    const { directory } = client;
    const { items, model } = await holdfast.providers.models({ directory, limit: 500 });
    client.hint = null;
    client.pick<string | null>({
      title: "Model:",
      empty: "No provider is connected. Run: holdfast connect",
      items: [
        {
          value: null,
          label: "Default of the directory",
          detail:
            client.workspace?.model ??
            model ??
            (client.workspace?.demo === true ? "demo agent" : "none"),
        },
        ...items.map(({ id, context, source }) => ({
          value: id,
          label: id,
          detail: source === "guess" ? "" : `${Math.round(context / 1_000)}k tokens of context`,
        })),
      ],
      onChoose: (chosen) => {
        client.model = chosen;
      },
    });
  } catch (error) {
    client.fail(error);
  }
}

/** Lets the user choose one of the models that the external (hosted) agent offers. */
async function pickOfferedModel(client: Client, named: string): Promise<void> {
  try {
    await refreshWorkspace(client);
  } catch (error) {
    return client.fail(error);
  }
  const { name = "", models = [] } = hostedAgent(client) ?? {};
  if (models.some(({ id }) => id === named)) {
    client.agentModel = named;
    return client.say(`Model: ${named}`);
  }
  client.pick<string>({
    title: `Model of ${name}:`,
    empty: `${name} has offered no models. Agents offer their models when they run for the first time`,
    items: models.map(({ id, name: label, description }) => ({
      value: id,
      label,
      detail: description === "" ? id : description,
    })),
    onChoose: (chosen) => {
      client.agentModel = chosen;
    },
  });
}

/** Lets the user choose the agent of the session. */
export async function pickAgent(client: Client, named: string): Promise<void> {
  const typedIn = client.view;
  const holdfast = await reachServer(client);
  if (holdfast === null) return;
  try {
    const workspace = await holdfast.workspaces.get(client.directory);
    client.workspace = workspace;
    const known = workspace.agents.some(({ name }) => name === named);
    if (named !== "" && known) return client.agent.set(named, latestView(client, typedIn));
    client.pick<string | null>({
      title: "Agent:",
      empty: "This directory defines no agents",
      items: [
        { value: null, label: "Default of the directory", detail: workspace.agent ?? "" },
        ...workspace.agents.map(({ name, description }) => ({
          value: name,
          label: name,
          detail: description,
        })),
      ],
      onChoose: (chosen) => client.agent.set(chosen),
    });
  } catch (error) {
    client.fail(error);
  }
}
