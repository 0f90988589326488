import { AgentFailure } from "../agent.ts";
import type { AgentContext, Fact } from "../agent.ts";
import { openPermissions } from "../coding/policy.ts";
import type { RememberedRules } from "../permissions/remembered.ts";
import { usualLimits } from "../setup.ts";
import type { AgentSetup } from "../setup.ts";
import { runHosted } from "./hosted-agent.ts";
import { knownAgent } from "./known-agents.ts";

/** Share of the time for stopping that the agent gets to answer a cancel. The rest is reserved for committing its partial work. */
const agentShare = 0.6;

/** Starts the run of a hosted agent with the permission rules of its profile. */
export async function* startHosted(options: {
  readonly setup: AgentSetup;
  readonly name: string;
  readonly context: AgentContext;
  readonly remembered: RememberedRules;
}): AsyncGenerator<Fact> {
  const { setup, name, context, remembered } = options;
  const pool = setup.hosted?.get(name);
  if (pool === undefined) {
    const advice = knownAgent(name)?.advice ?? "check agents in the config";
    throw new AgentFailure("brokenWorkspace", `The agent ${name} is not installed: ${advice}`, {
      hold: { retryIn: null },
    });
  }
  const rules = [...setup.rules, ...(setup.profiles.get(name)?.rules ?? [])];
  const { sessionId, directory } = context;
  const permissions = await openPermissions({ rules, remembered, sessionId, directory });
  const grace = (setup.limits.stopGrace ?? usualLimits.stopGrace) * agentShare;
  const agents = [...setup.profiles.values()];
  yield* runHosted({ pool, permissions, grace, agents }, context);
}
