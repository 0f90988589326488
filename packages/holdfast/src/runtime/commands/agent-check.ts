import { AgentFailure } from "../../agent/agent.ts";
import { isDemoAgent, namedProfile } from "../../agent/named-profile.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import type { WorkspaceHost } from "../../workspace/host.ts";
import { WorkspaceError } from "../../workspace/loader.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * Returns a function that refuses the name of an agent that a directory does not have. If the agents of the directory are
 * not known, for example because its config is invalid, every name is accepted, and a run with a wrong name fails.
 */
export function agentCheck(host: WorkspaceHost | null): CommandContext["expectAgent"] {
  return async (agent, directory) => {
    if (host === null) return;
    try {
      const { current } = await host.load(directory);
      const setup = current?.workspace.setup ?? null;
      if (setup !== null && !isDemoAgent(setup, agent)) namedProfile(setup, agent);
    } catch (error) {
      if (error instanceof WorkspaceError) return;
      if (!(error instanceof AgentFailure)) throw error;
      throw new CommandRefused({ code: "invalid", field: "agent", message: error.message });
    }
  };
}
