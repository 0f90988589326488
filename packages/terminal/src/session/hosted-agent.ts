import type { Workspace } from "@holdfast/sdk";
import type { Client } from "../client.ts";

export type OfferedAgent = Workspace["agents"][number];

/** Choices of the user for the next prompts. Null: the default. */
export interface PromptChoices {
  readonly model: string | null;
  readonly agentMode: string | null;
}

/** The agents of the directory, and the name of the session's agent. */
interface AgentSource {
  readonly workspace: Workspace | null;
  readonly agent: { readonly current: string | null };
}

/** Returns the agent of the session if it is an external (hosted) agent: another program with its own models. */
export function hostedAgent({ workspace, agent }: AgentSource): OfferedAgent | null {
  const name = agent.current ?? workspace?.agent ?? null;
  return workspace?.agents.find((each) => each.name === name && each.isHosted) ?? null;
}

/** Returns the choices to send. For an external (hosted) agent, only a model and a mode that it offers are sent. */
export function promptChoices(
  client: AgentSource & Pick<Client, "model" | "agentModel" | "agentMode">,
): PromptChoices {
  const { model, agentModel, agentMode } = client;
  const hosted = hostedAgent(client);
  if (hosted === null) return { model, agentMode: null };
  return {
    model: isOffered(hosted.models, agentModel) ? agentModel : null,
    agentMode: isOffered(hosted.modes, agentMode) ? agentMode : null,
  };
}

function isOffered(choices: OfferedAgent["models"], id: string | null): boolean {
  return choices.some((choice) => choice.id === id);
}

/** Returns the commands that are sent as prompts: those of the directory, and those of the external (hosted) agent. */
export function promptCommands(
  client: AgentSource,
): readonly { readonly name: string; readonly description: string }[] {
  return [...(client.workspace?.commands ?? []), ...(hostedAgent(client)?.commands ?? [])];
}

/**
 * Loads the directory again, because an external (hosted) agent reports its models, modes and commands only when it
 * runs.
 */
export async function refreshWorkspace(client: Client): Promise<void> {
  const { holdfast, directory } = client;
  if (holdfast === null) return;
  client.workspace = await holdfast.workspaces.get(directory, { patience: 0 });
}
