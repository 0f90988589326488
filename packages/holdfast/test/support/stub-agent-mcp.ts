import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** An MCP server that the client offers to the agent. */
export interface McpServer {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Records the servers of a session in a file, so that tests can use them too. */
export function recorded(
  servers: readonly McpServer[] | undefined,
  home: string,
): readonly McpServer[] | undefined {
  for (const server of servers ?? []) {
    appendFileSync(join(home, "servers"), `${JSON.stringify(server)}\n`);
  }
  return servers;
}

/** Calls a tool: its name, then its input as JSON. Returns the text of its result or its error. */
export async function callTool(server: McpServer | undefined, words: string): Promise<string> {
  if (server === undefined) return "there is no MCP server";
  const [, name = "", input = "{}"] = /^(\S+) (.*)$/.exec(words) ?? [];
  const headers = server.headers.map((header): [string, string] => [header.name, header.value]);
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...Object.fromEntries(headers),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: JSON.parse(input) },
    }),
  });
  const text = await response.text();
  const data: Answer = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
  return data.result?.content[0]?.text ?? data.error?.message ?? text;
}

interface Answer {
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}
