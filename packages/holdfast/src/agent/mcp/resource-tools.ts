import { z } from "zod";
import { failed } from "../tools/result.ts";
import type { PermissionRequest, Tool, ToolContext, ToolResult } from "../tools/tool.ts";
import { piecesResult, resourcePiece } from "./call-result.ts";
import type { Piece } from "./call-result.ts";
import type { McpServer } from "./server.ts";
import { failureText } from "./server-tool.ts";
import type { McpRequest } from "./server-tool.ts";
import { brief } from "./wire.ts";

export const resourceToolNames = ["list_mcp_resources", "read_mcp_resource"] as const;

/** Returns the tools for MCP resources; none if no server has resources. */
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
    description:
      `Lists the resources of an MCP server, and templates of resource URIs. Servers with resources: ${names}. ` +
      `Example: {"server": "${withResources[0]?.name ?? ""}"}`,
    input: z.object({
      server,
      cursor: z.string().optional().describe("The cursor at the end of the previous page."),
    }),
    repeatable: true,
    parallel: true,
    permission: (input) => permissionFor(input.server, ""),
    run: ({ server: name, cursor }, context) =>
      resultOf(find(name), context, async ({ request }) => {
        const { signal } = context;
        const params = cursor === undefined ? {} : { cursor };
        const templates = cursor === undefined ? readTemplates(request, signal) : [];
        const page = await request("resources/list", { params, result: listSchema, signal });
        return linesOf(page, await templates).map((text) => ({ text, file: null }));
      }),
  };
  const readTool: Tool<{ server: string; uri: string }> = {
    name: readName,
    description:
      `Reads one resource of an MCP server by its URI. List the URIs with ${listName}, and replace the {names} in ` +
      `the URI of a template. Example: {"server": "${withResources[0]?.name ?? ""}", "uri": "file:///notes/todo.md"}`,
    input: z.object({ server, uri: z.string().min(1).max(8_000) }),
    repeatable: true,
    parallel: true,
    permission: (input) => permissionFor(input.server, input.uri),
    run: ({ server: name, uri }, context) =>
      resultOf(find(name), context, async ({ request }) => {
        const { signal } = context;
        const { contents } = await request("resources/read", {
          params: { uri },
          result: readSchema,
          signal,
        });
        return contents.map(resourcePiece);
      }),
  };
  return [listTool, readTool];
}

/**
 * Reads the resource templates. An error counts as an empty list: many servers that have no templates return an error.
 */
async function readTemplates(
  request: McpRequest,
  signal: AbortSignal,
): Promise<z.infer<typeof templatesSchema>["resourceTemplates"]> {
  try {
    const options = { params: {}, result: templatesSchema, signal };
    return (await request("resources/templates/list", options)).resourceTemplates;
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

const maxTemplates = 100;

function linesOf(
  { resources, nextCursor }: z.infer<typeof listSchema>,
  templates: z.infer<typeof templatesSchema>["resourceTemplates"],
): readonly string[] {
  return [
    ...resources.map(({ uri, name }) => `${brief(uri, 500)}  ${brief(name)}`),
    ...templates
      .slice(0, maxTemplates)
      .map(({ uriTemplate, name }) => `template ${brief(uriTemplate, 500)}  ${brief(name)}`),
    ...(nextCursor === undefined ? [] : [`[more: cursor ${nextCursor}]`]),
  ];
}

const listSchema = z.object({
  resources: z.array(z.object({ uri: z.string(), name: z.string().catch("") })),
  nextCursor: z.string().optional().catch(undefined),
});
const templatesSchema = z.object({
  resourceTemplates: z.array(z.object({ uriTemplate: z.string(), name: z.string().catch("") })),
});
const readSchema = z.object({ contents: z.array(z.unknown()) });

/**
 * Builds a permission request whose subject contains a colon. Tool names contain none, so rules for tools never match
 * resources.
 */
function permissionFor(server: string, uri: string): PermissionRequest {
  const what = uri === "" ? "List the resources" : `Read ${uri}`;
  return {
    action: "mcp",
    subject: `${server}/resource:${uri}`,
    readOnly: true,
    preview: `${what} of the MCP server ${server}`,
  };
}

async function resultOf(
  server: McpServer | null,
  context: ToolContext,
  read: (server: McpServer) => Promise<readonly Piece[]>,
): Promise<ToolResult> {
  const { signal, settings } = context;
  if (server === null) return failed("No MCP server with this name has resources.");
  try {
    return piecesResult(await read(server), settings.maxOutput);
  } catch (error) {
    return failed(failureText(server.name, { error, signal }));
  }
}
