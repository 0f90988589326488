import { AgentFailure } from "./agent.ts";
import { knownAgent } from "./hosted/known-agents.ts";
import type { AgentProfile, AgentSetup } from "./setup.ts";

/** True if the name selects the demo agent: the directory has no other agent of that name. */
export function isDemoAgent(
  { profiles }: Pick<AgentSetup, "profiles">,
  name: string | undefined,
): boolean {
  return name === "demo" && !profiles.has(name);
}

/**
 * Returns the agent profile with this name; without a name, the default profile. An unknown name fails only this prompt
 * and does not pause the session.
 */
export function namedProfile(
  { profiles, defaultProfile }: Pick<AgentSetup, "profiles" | "defaultProfile">,
  name: string | undefined,
): AgentProfile {
  const profile = profiles.get(name ?? defaultProfile);
  if (profile !== undefined) return profile;
  const installable = knownAgent(name ?? "");
  if (installable !== null) {
    const message = `The agent ${installable.name} is not installed. To install it: ${installable.advice}`;
    throw new AgentFailure("refused", message);
  }
  const known = [...new Set([...profiles.keys(), "demo"])].join(", ");
  const message = `There is no agent ${name ?? defaultProfile} in this directory. Available agents: ${known}. To see ignored settings: holdfast config --check`;
  throw new AgentFailure("refused", message);
}
