import { z } from "zod";
import { failed } from "../tools/result.ts";
import type { PermissionRequest, Tool, ToolContext, ToolResult } from "../tools/tool.ts";
import { piecesResult, resourcePiece } from "./call-result.ts";
import type { Piece } from "./call-result.ts";
import type { McpServer } from "./server.ts";
import { failureText } from "./server-tool.ts";
import { brief } from "./wire.ts";

export const resourceToolNames = ["list_mcp_resources", "read_mcp_resource"] as const;

/** Returns tools for MCP resources, or no tools if no server has resources. */
export function resourceTools(servers: readonly McpServer[]): readonly Tool[] {
  const withResources = servers.filter((server) => server.hasResources());
  if (withResources.length === 0) return [];
  const names = withResources.map(({ name }) => name).join(", ");
  const server = z.string().describe(`One of: ${names}.`);
  const find = (name: string): McpServer | null =>
    withResources.find((candidate) => candidate.name === name) ?? null;
  const [listName, readName] = resourceToolNames;
  const listTool: Tool<{ server: string; cursor?: string | undefined }> = {
    name: listName,
    description: `Lists the resources of an MCP server. Servers with resources: ${names}.`,
    input: z.object({
      server,
      cursor: z.string().optional().describe("The cursor at the end of the previous page."),
    }),
    repeatable: true,
    parallel: true,
    permission: (input) => permissionFor(input.server, ""),
    run: (input, context) =>
      requestResult(find(input.server), {
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
    description: `Reads one resource of an MCP server by its URI. List the URIs with ${listName}.`,
    input: z.object({ server, uri: z.string().min(1).max(8_000) }),
    repeatable: true,
    parallel: true,
    permission: (input) => permissionFor(input.server, input.uri),
    run: (input, context) =>
      requestResult(find(input.server), {
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

/** The subject contains a colon. Tool names do not, so rules for tools never match resources. */
function permissionFor(server: string, uri: string): PermissionRequest {
  const what = uri === "" ? "List the resources" : `Read ${uri}`;
  return {
    action: "mcp",
    subject: `${server}/resource:${uri}`,
    preview: `${what} of the MCP server ${server}`,
  };
}

async function requestResult<Output>(
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
  if (server === null) return failed("No MCP server with this name has resources.");
  try {
    const pieces = show(await server.request(method, { params, result, signal }));
    return piecesResult(pieces, settings.maxOutput);
  } catch (error) {
    return failed(failureText(server.name, { error, signal }));
  }
}
