import type { Tool } from "../tools/tool.ts";
import { otherName } from "./names.ts";
import { resourceToolNames, resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server.ts";

/** The tools of all servers of a generation, under names that nothing else has. */
export function mcpTools(
  servers: readonly McpServer[],
  /** Names of the program's own tools. */
  taken: readonly string[],
): readonly Tool[] {
  const names = new Set<string>([...taken, ...resourceToolNames]);
  const tools: Tool[] = [];
  for (const tool of servers.flatMap((server) => server.tools())) {
    const name = names.has(tool.name) ? otherName(tool.name) : tool.name;
    // Two servers whose names and tools run together, and that more than once.
    if (names.has(name)) continue;
    names.add(name);
    tools.push(name === tool.name ? tool : { ...tool, name });
  }
  return [...tools, ...resourceTools(servers)];
}
