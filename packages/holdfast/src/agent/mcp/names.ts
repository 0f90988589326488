import { createHash } from "node:crypto";
import type { Tool } from "../tools/tool.ts";
import { resourceToolNames, resourceTools } from "./resource-tools.ts";
import type { McpServer } from "./server.ts";

/** Maximum length of a tool name that all providers accept. */
const maxName = 64;
const maxPart = 48;
const maxServer = 24;

/**
 * Returns the names of a server's tool: `name`, which the model sees, and `part`, which follows the server's name in
 * permission rules. A name that providers would reject is replaced by a valid name with a hash of the original name. A
 * tool's name stays the same if the server adds or removes other tools.
 */
export function toolNames(
  server: string,
  tool: string,
): { readonly name: string; readonly part: string } {
  const part = fit(tool, maxPart);
  return { name: fit(`${fit(server, maxServer)}_${part}`, maxName), part };
}

/** Makes a name unique by adding a hash. */
function otherName(name: string): string {
  return fitted(name, name, maxName);
}

/** Returns the text unchanged if it is short and has only safe characters, else a safe form with a hash. */
export function fit(text: string, max: number): string {
  const plain = text.replaceAll(/[^\w-]+/g, "_").replace(/^(?=[\d-])/, "_");
  return plain === text && text !== "" && text.length <= max ? text : fitted(plain, text, max);
}

function fitted(plain: string, original: string, max: number): string {
  const hash = createHash("sha256").update(original).digest("hex").slice(0, 8);
  return `${plain.slice(0, max - hash.length - 1)}_${hash}`;
}

/** Returns the tools of all servers of a config version, with unique names. */
export function mcpTools(
  servers: readonly McpServer[],
  /** Names of the built-in tools. */
  taken: readonly string[],
): readonly Tool[] {
  const names = new Set<string>([...taken, ...resourceToolNames]);
  const tools: Tool[] = [];
  for (const tool of servers.flatMap((server) => server.tools())) {
    const name = names.has(tool.name) ? otherName(tool.name) : tool.name;
    // The name with a hash is also taken. Skip the tool.
    if (names.has(name)) continue;
    names.add(name);
    tools.push(name === tool.name ? tool : { ...tool, name });
  }
  return [...tools, ...resourceTools(servers)];
}
