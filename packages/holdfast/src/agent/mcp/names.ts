import { createHash } from "node:crypto";
import type { Tool } from "../tools/tool.ts";
import { resourceToolNames, resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server.ts";

/** What every provider takes as a tool's name. */
const maxName = 64;
const maxPart = 48;
const maxServer = 24;

/**
 * What a tool of a server is called: `name` for the model, `part` in permission rules, after the
 * server's name. A name that providers would not take is changed and gets a hash, so that it stays the
 * same whatever else the server lists.
 */
export function toolNames(
  server: string,
  tool: string,
): { readonly name: string; readonly part: string } {
  const part = fit(tool, maxPart);
  return { name: fit(`${fit(server, maxServer)}_${part}`, maxName), part };
}

/** The same name, but one that nothing else has. */
export function otherName(name: string): string {
  return fitted(name, name, maxName);
}

/** As it is when it consists of harmless characters and is short enough. */
export function fit(text: string, max: number): string {
  const plain = text.replaceAll(/[^\w-]+/g, "_").replace(/^(?=[\d-])/, "_");
  return plain === text && text !== "" && text.length <= max ? text : fitted(plain, text, max);
}

function fitted(plain: string, original: string, max: number): string {
  const hash = createHash("sha256").update(original).digest("hex").slice(0, 8);
  return `${plain.slice(0, max - hash.length - 1)}_${hash}`;
}

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
