import { z } from "zod";
import { failed } from "../tools/result.ts";
import type { PermissionRequest, Tool, ToolContext, ToolResult } from "../tools/tool.ts";
import { piecesResult, resourcePiece } from "./call-result.ts";
import type { Piece } from "./call-result.ts";
import type { McpServer } from "./server.ts";
import { failureText } from "./server-tool.ts";
import { brief } from "./wire.ts";

export const resourceToolNames = ["list_mcp_resources", "read_mcp_resource"] as const;

/** Tools for the resources of servers that have some; none where no server does. */
export function resourceTools(servers: readonly McpServer[]): readonly Tool[] {
  const having = servers.filter((server) => server.hasResources());
  if (having.length === 0) return [];
  const names = having.map(({ name }) => name).join(", ");
  const server = z.string().describe(`One of: ${names}.`);
  const find = (name: string): McpServer | null =>
    having.find((candidate) => candidate.name === name) ?? null;
  const [listName, readName] = resourceToolNames;
  const listTool: Tool<{ server: string; cursor?: string | undefined }> = {
    name: listName,
    description: `Lists what an MCP server has to read. Servers that have something: ${names}.`,
    input: z.object({
      server,
      cursor: z.string().optional().describe("Where the last page said to go on."),
    }),
    repeatable: true,
    parallel: true,
    permission: (input) => asked(input.server, ""),
    run: (input, context) =>
      ask(find(input.server), {
        context,
        method: "resources/list",
        params: input.cursor === undefined ? {} : { cursor: input.cursor },
        result: listSchema,
        show: ({ resources, nextCursor }) => {
          const lines = resources.map(({ uri, name }) => `${brief(uri, 500)}  ${brief(name)}`);
          const more = nextCursor === undefined ? [] : [`[more: cursor ${nextCursor}]`];
          return [...lines, ...more].map((text) => ({ text, file: null }));
        },
      }),
  };
  const readTool: Tool<{ server: string; uri: string }> = {
    name: readName,
    description: `Reads one resource of an MCP server by its URI. ${listName} says which there are.`,
    input: z.object({ server, uri: z.string().min(1).max(8_000) }),
    repeatable: true,
    parallel: true,
    permission: (input) => asked(input.server, input.uri),
    run: (input, context) =>
      ask(find(input.server), {
        context,
        method: "resources/read",
        params: { uri: input.uri },
        result: readSchema,
        show: ({ contents }) => contents.map(resourcePiece),
      }),
  };
  return [listTool, readTool];
}

const listSchema = z.object({
  resources: z.array(z.object({ uri: z.string(), name: z.string().catch("") })),
  nextCursor: z.string().optional().catch(undefined),
});
const readSchema = z.object({ contents: z.array(z.unknown()) });

/** A colon is in no tool's name, so that rules for tools and for resources cannot be confused. */
function asked(server: string, uri: string): PermissionRequest {
  const what = uri === "" ? "List the resources" : `Read ${uri}`;
  return {
    action: "mcp",
    subject: `${server}/resource:${uri}`,
    preview: `${what} of the MCP server ${server}`,
  };
}

async function ask<Output>(
  server: McpServer | null,
  call: {
    context: ToolContext;
    method: string;
    params: Readonly<Record<string, unknown>>;
    result: z.ZodType<Output>;
    show: (output: Output) => readonly Piece[];
  },
): Promise<ToolResult> {
  const { context, method, params, result, show } = call;
  const { signal, settings } = context;
  if (server === null) return failed("There is no such MCP server with resources.");
  try {
    const pieces = show(await server.request(method, { params, result, signal }));
    return piecesResult(pieces, settings.maxOutput);
  } catch (error) {
    return failed(failureText(server.name, { error, signal }));
  }
}
