import type { AgentDoors, AgentTasks } from "../agent/hosted/door.ts";
import type { AgentGrants } from "../server/security/agent-grants.ts";

/** Connects hosted agents with the MCP server of this process. */
export interface ServedDoors extends AgentDoors {
  /** Returns the tasks of the hosted agent with this token; undefined if the token belongs to another client. */
  tasksOf(tokenId: string | null): AgentTasks | undefined;
}

export function serveDoors(grants: AgentGrants, url: string): ServedDoors {
  const open = new Map<string, AgentTasks>();
  return {
    tasksOf: (tokenId) => open.get(tokenId ?? ""),
    open: ({ agent, directory, tasks }) => {
      const grant = grants.open({ agent, directory });
      const { tokenId, secret } = grant;
      open.set(tokenId, tasks);
      return {
        url: `${url}/mcp`,
        secret,
        close: () => {
          open.delete(tokenId);
          grant.close();
        },
      };
    },
  };
}
