import { homedir } from "node:os";
import { join } from "node:path";
import { knownAgent, knownAgents } from "../agent/hosted/known-agents.ts";
import { dataFolder } from "./stores.ts";

export type AddedAgent =
  | { readonly status: "added"; readonly version: string }
  | { readonly status: "refused"; readonly message: string };

/** Installs one of the external (hosted) agents that Holdfast knows into the user's data folder. */
export async function addHostedAgent(
  name: string,
  progress: (message: string) => void,
): Promise<AddedAgent> {
  const agent = knownAgent(name);
  if (agent === null) {
    const names = knownAgents.map((known) => known.name).join(", ");
    const message = `Holdfast does not know the agent ${name}. Known agents: ${names}. For any other agent, set agents.${name}.acp in the config.`;
    return { status: "refused", message };
  }
  const { installAgent, InstallError } = await import("../agent/hosted/install-agent.ts");
  const { agentPackages } = await import("../agent/hosted/agent-packages.ts");
  try {
    const folder = agentsFolder();
    const packages = agentPackages(name);
    const environment = process.env;
    const { version } = await installAgent(agent, { folder, packages, environment, progress });
    return { status: "added", version };
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    return { status: "refused", message: error.message };
  }
}

/** Removes an installed external (hosted) agent. Returns false if it is not installed. */
export async function removeHostedAgent(name: string): Promise<boolean> {
  if (knownAgent(name) === null) return false;
  const { removeAgent } = await import("../agent/hosted/install-agent.ts");
  return removeAgent(name, agentsFolder());
}

function agentsFolder(): string {
  return join(dataFolder(process.env, homedir()), "agents");
}
