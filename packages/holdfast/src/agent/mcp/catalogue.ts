import { createHash } from "node:crypto";
import { z } from "zod";
import type { Connection } from "./connection.ts";
import { wellFormed } from "../well-formed.ts";
import { toInputSchema } from "./input-schema.ts";
import type { InputSchema } from "./input-schema.ts";
import type { McpLimits } from "./limits.ts";
import { fit, toolNames } from "./names.ts";
import { parameterHeaders } from "./parameter-headers.ts";
import type { ParameterHeader } from "./parameter-headers.ts";
import { brief, cleanText } from "./wire.ts";

/** The tools, prompts and resources of a server, sanitized and truncated to the limits. */
export interface Catalogue {
  /** Hash of the catalogue. Equal digests mean equal content. */
  readonly digest: string;
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  /** Number of listed resources. Null if the server does not support resources. */
  readonly resources: number | null;
  /** The server's own usage instructions. Null if there are none. */
  readonly instructions: string | null;
  /** Messages for people about the server's tools, prompts and other entries that were left out or shortened. */
  readonly notes: readonly string[];
}

export interface ListedTool {
  /** The tool's name on the server. */
  readonly original: string;
  /** The tool name that the model sees. */
  readonly name: string;
  /** The tool's name in permission rules, after the server's name and a slash. */
  readonly part: string;
  readonly description: string;
  readonly schema: InputSchema["schema"];
  readonly renamed: InputSchema["renamed"];
  readonly readOnly: boolean;
  /** True if the tool can be called only as an MCP task. */
  readonly asTask: boolean;
  /** Arguments that a call repeats in HTTP headers. */
  readonly headers: readonly ParameterHeader[];
}

export interface ListedPrompt {
  readonly original: string;
  /** The prompt's name in commands, after the server's name and a colon. */
  readonly part: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly required: boolean }[];
}

const maxParameters = 20;
const maxPages = 100;
const maxResources = 1_000;

/** Schema of one entry. Entries are parsed separately, so that an invalid entry does not affect the others. */
const toolSchema = z.object({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  execution: z
    .object({ taskSupport: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  annotations: z
    .object({ readOnlyHint: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const promptSchema = z.object({
  name: z.string().min(1),
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(z.object({ name: z.string(), required: z.boolean().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
});

/** Reads the tools, prompts, resources and resource templates of an MCP server. */
export async function readCatalogue(
  server: string,
  connection: Connection,
  options: { readonly limits: McpLimits; readonly signal: AbortSignal },
): Promise<Catalogue> {
  const { limits } = options;
  const { offers } = connection;
  const notes: string[] = [];
  const read = (list: string, max: number): Promise<unknown[]> =>
    readPages(connection, { ...options, list, max });
  // Reads an optional list. If that fails, adds a note and returns an empty list. Only the list of tools is required.
  const readIfPossible = (list: string, max: number): Promise<unknown[]> =>
    read(list, max).catch((error: unknown) => {
      options.signal.throwIfAborted();
      notes.push(
        `the server cannot list its ${list}: ${error instanceof Error ? error.message : ""}`,
      );
      return [];
    });
  const listed = await Promise.all([
    offers.tools ? read("tools", limits.maxTools) : [],
    offers.prompts ? readIfPossible("prompts", limits.maxPrompts) : [],
    offers.resources ? readIfPossible("resources", maxResources) : null,
  ]);
  const { instructions, hasParameterHeaders: withHeaders, hasTasks: withTasks } = connection;
  const tools = usableTools(listed[0], { server, limits, notes, withHeaders, withTasks });
  const prompts = usablePrompts(listed[1], { limits, notes });
  const resources = listed[2]?.length ?? null;
  const digest = createHash("sha256")
    .update(JSON.stringify([tools, prompts, resources !== null, instructions]))
    .digest("hex")
    .slice(0, 16);
  return { digest, tools, prompts, resources, instructions, notes };
}

/** Reads the pages of a list until it ends or has more entries than the limit. */
async function readPages(
  connection: Connection,
  options: { list: string; max: number; limits: McpLimits; signal: AbortSignal },
): Promise<unknown[]> {
  const { list, max, limits, signal } = options;
  const result = z.object({
    [list]: z.array(z.unknown()),
    nextCursor: z.string().optional().catch(undefined),
  });
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && found.length <= max; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = limits.listTimeout;
    const answer: Record<string, unknown> = await connection.request(`${list}/list`, {
      params,
      result,
      timeout,
      maxTime: timeout,
      signal,
    });
    const items = answer[list];
    if (Array.isArray(items)) found.push(...items.slice(0, max + 1));
    const next = answer["nextCursor"];
    if (typeof next !== "string" || next === cursor) break;
    cursor = next;
  }
  return found;
}

function usableTools(
  listed: readonly unknown[],
  options: {
    server: string;
    limits: McpLimits;
    notes: string[];
    withHeaders: boolean;
    withTasks: boolean;
  },
): ListedTool[] {
  const { server, limits, notes } = options;
  const tools: ListedTool[] = [];
  const parts = new Set<string>();
  let length = 0;
  for (const item of listed) {
    const parsed = toolSchema.safeParse(item);
    if (!parsed.success) {
      notes.push("a tool without a name was ignored");
      continue;
    }
    const {
      name: original,
      title,
      description = title ?? "",
      inputSchema,
      annotations,
      execution,
    } = parsed.data;
    const { name, part } = toolNames(server, original);
    if (parts.has(part)) {
      notes.push(`the tool ${part} is listed twice`);
      continue;
    }
    const headers = options.withHeaders
      ? parameterHeaders(inputSchema)
      : { list: [], problem: null };
    if (headers.problem !== null) {
      notes.push(`the tool ${part} is not available, because ${headers.problem}`);
      continue;
    }
    const input = toInputSchema(inputSchema, limits.maxSchema);
    if (input.problem !== null) notes.push(`the input of the tool ${part} ${input.problem}`);
    const tool: ListedTool = {
      original,
      name,
      part,
      description: cleanText(description, limits.maxDescription).toWellFormed(),
      schema: wellFormed(input.schema),
      renamed: input.renamed,
      readOnly: annotations?.readOnlyHint === true,
      asTask: options.withTasks && execution?.taskSupport === "required",
      headers: headers.list,
    };
    length += JSON.stringify(tool).length;
    if (tools.length >= limits.maxTools) {
      notes.push(`the server has too many tools: only the first ${tools.length} are available`);
      break;
    }
    if (length > limits.maxDefinitions) {
      const most = limits.maxDefinitions.toLocaleString("en-US");
      notes.push(
        `the tool definitions of the server have more than ${most} characters: only the first ${tools.length} tools are available. Configure the server to offer fewer tools, or shorten their descriptions and schemas`,
      );
      break;
    }
    parts.add(part);
    tools.push(tool);
  }
  return tools;
}

function usablePrompts(
  listed: readonly unknown[],
  { limits, notes }: { limits: McpLimits; notes: string[] },
): ListedPrompt[] {
  const prompts = new Map<string, ListedPrompt>();
  for (const item of listed) {
    const parsed = promptSchema.safeParse(item);
    if (!parsed.success) continue;
    const { name: original, description = "", arguments: parameters = [] } = parsed.data;
    if (prompts.size >= limits.maxPrompts) {
      notes.push(`the server has too many prompts: only the first ${prompts.size} are available`);
      break;
    }
    const part = fit(original, 48);
    if (prompts.has(part)) continue;
    prompts.set(part, {
      original,
      part,
      description: brief(description, limits.maxDescription),
      parameters: parameters
        .slice(0, maxParameters)
        .map(({ name, required = false }) => ({ name, required })),
    });
  }
  return [...prompts.values()];
}
