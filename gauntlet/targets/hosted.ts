import { foundCommand, foundMcp } from "./acp-tools.ts";
import { agentEnvironment, filledCommand, spoken } from "./acp.ts";
import type { HostedAgent } from "./holdfast.ts";

/**
 * An external ACP agent that Holdfast runs. The scenarios talk to Holdfast over HTTP, and the model server sees the
 * calls of the agent.
 */
export function hostedAgent(command: readonly string[]): HostedAgent {
  const subAgents = { missing: "a hosted agent has its own kind of sub-agents" };
  return {
    name: spoken(command),
    // Each session has its own process of the agent, and a process of some agents needs hundreds of megabytes.
    mostSessions: 2,
    offers: {
      agents: subAgents,
      background: subAgents,
      config: { missing: "a hosted agent has its own instructions" },
      mcp: { missing: "Holdfast passes only its own MCP server to a hosted agent" },
    },
    calls: { command: foundCommand, agent: none, background: none, mcp: foundMcp },
    config: (setting, key) => {
      const known = { ...setting, key };
      // Set the variables in the command, not in `env` of the config. Holdfast treats all values in `env` as secrets,
      // even the name of the model, and refuses prompts and paths that contain a secret.
      const variables = Object.entries(agentEnvironment(known)).map((pair) => pair.join("="));
      const acp = { command: ["env", ...variables, ...filledCommand(command, known)] };
      return { agent: "hosted", agents: { hosted: { acp } } };
    },
  };
}

function none(): never {
  throw new Error("a hosted agent does not offer this");
}
