import { isAbsolute } from "node:path";
import { isKnownAgent, knownAgents } from "../../agent/hosted/known-agents.ts";
import type { AcpConfig } from "./config.ts";
import type { AgentEntry } from "./file-schema.ts";
import { hasReference } from "./references.ts";
import type { Resolving } from "./resolving.ts";

/** Resolves the settings of a hosted agent's program. Null: the agent is not hosted. */
export async function resolveAcp(
  name: string,
  { acp, ...entry }: AgentEntry,
  resolving: Resolving,
): Promise<AcpConfig | null> {
  if (acp === undefined) return null;
  const path = ["agents", name, "acp"];
  const { command = null } = acp;
  if (command === null && !isKnownAgent(name)) {
    const known = knownAgents.map((agent) => agent.name).join(", ");
    resolving.error(
      path,
      `needs a program, such as "command": ["my-agent", "--acp"]. Only these names need none: ${known}`,
    );
    return null;
  }
  command?.forEach((word, index) => {
    if (!hasReference(word)) return;
    const advice = "every user of this machine can see command arguments; put the secret into env";
    resolving.warn([...path, "command", index], `references are not replaced here: ${advice}`);
  });
  for (const key of ["prompt", "model", "tools", "effort", "thinking"] as const) {
    if (entry[key] === undefined) continue;
    resolving.warn(["agents", name, key], "has no effect on an agent with acp");
  }
  const env = await resolving.secretEntries([...path, "env"], acp.env);
  for (const [variable, value] of Object.entries(env)) {
    const own = [...path, "env", variable];
    if (!/^[A-Za-z_]\w*$/.test(variable)) resolving.error(own, "is not a valid variable name");
    if (value.includes("\0")) resolving.error(own, "must not contain a NUL character");
  }
  const { sandbox = "off", folders = null } = acp;
  folders?.forEach((folder, index) => {
    const own = [...path, "folders", index];
    const isInHome = !isAbsolute(folder) && !folder.split("/").includes("..");
    if (!isInHome) resolving.error(own, "must be a path in the home directory, such as .my-agent");
  });
  return { command, env, sandbox, folders };
}
