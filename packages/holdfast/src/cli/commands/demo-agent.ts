import type { Workspace } from "@holdfast/sdk";

/** Name of the agent that needs no model. */
export const demoAgent = "demo";

/** Returns the agents that --agent accepts: those of the directory, and the demo agent unless one of them has its name. */
export function withDemo({ agents }: Pick<Workspace, "agents">): Workspace["agents"] {
  if (agents.some(({ name }) => name === demoAgent)) return agents;
  const description = "Offline demo of a coding agent; needs no model";
  const nothing = {
    model: null,
    tools: null,
    isHosted: false,
    models: [],
    modes: [],
    commands: [],
  };
  return [...agents, { name: demoAgent, description, ...nothing }];
}
