import type { Workspace } from "@holdfast/sdk";

/** Name of the demo agent, which needs no model. */
export const demoAgent = "demo";

/** Returns the agents that --agent accepts. Adds the demo agent, unless the directory has an agent named `demo`. */
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
