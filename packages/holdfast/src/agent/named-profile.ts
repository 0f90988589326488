import { AgentFailure } from "./agent.ts";
import type { AgentProfile, AgentSetup } from "./setup.ts";

/** Whom a prompt names, or the usual one. Who is not there fails that prompt and holds nobody else up. */
export function namedProfile(
  { profiles, defaultProfile }: Pick<AgentSetup, "profiles" | "defaultProfile">,
  name: string | undefined,
): AgentProfile {
  const profile = profiles.get(name ?? defaultProfile);
  if (profile !== undefined) return profile;
  const known = [...profiles.keys()].join(", ");
  const message = `there is no agent ${name ?? defaultProfile} here (there are: ${known})`;
  throw new AgentFailure("refused", message);
}
