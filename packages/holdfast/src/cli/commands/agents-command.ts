import { addHostedAgent, removeHostedAgent } from "../../compose/hosted-agents.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";

/** `holdfast agents add NAME`: installs an external (hosted) agent. */
export async function addAgent(name: string): Promise<ExitCode> {
  const added = await addHostedAgent(name, (message) => console.error(message));
  if (added.status === "refused") throw new CliError("agentNotAdded", added.message);
  const { version } = added;
  console.log(`Installed ${name} ${version}. Use it with: holdfast run --agent ${name}`);
  console.log("Projects that are already open find it after: holdfast server reload --all");
  return exitCodes.ok;
}

/** `holdfast agents remove NAME`: removes an installed agent. */
export async function removeAgent(name: string): Promise<ExitCode> {
  if (!(await removeHostedAgent(name))) {
    throw new CliError("agentNotInstalled", `Holdfast has not installed an agent named ${name}.`);
  }
  console.log(`Removed ${name}.`);
  console.log("Projects that are already open list it until: holdfast server reload --all");
  return exitCodes.ok;
}
