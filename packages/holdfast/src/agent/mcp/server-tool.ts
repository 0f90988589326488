import { z } from "zod";
import { failed } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";
import { callResultSchema, toToolResult } from "./call-result.ts";
import type { ListedTool } from "./catalogue.ts";
import type { Connection } from "./connection.ts";

/** Makes a request on the connection that the server has when it is made. */
export type McpRequest = <Output>(
  method: string,
  options: Omit<Parameters<Connection["request"]>[1], "result" | "timeout"> & {
    readonly result: z.ZodType<Output>;
  },
) => Promise<Output>;

type Input = Readonly<Record<string, unknown>>;

// What the arguments must be is for the server to say: its schema may hold expressions that take for ever.
const input: z.ZodType<Input> = z.record(z.string(), z.unknown());

const maxPreview = 10_000;

/** A server's tool as one of ours. What it does is unknown, so people are asked. */
export function serverTool(server: string, listed: ListedTool, request: McpRequest): Tool<Input> {
  const { name, part, schema, renamed, readOnly } = listed;
  return {
    name,
    description: listed.description || `The tool ${part} of the MCP server ${server}.`,
    input,
    schema,
    // A hint is believed where a lie costs no more than the call that was permitted.
    repeatable: readOnly,
    parallel: readOnly,
    permission: (given) => ({
      action: "mcp",
      subject: `${server}/${part}`,
      preview: `${part} of the MCP server ${server}, with ${json(given).slice(0, maxPreview)}`,
    }),
    run: async (given, context) => {
      const { signal, settings } = context;
      try {
        const result = await request("tools/call", {
          params: { name: listed.original, arguments: asNamed(given, renamed) },
          result: callResultSchema,
          signal,
          onProgress: (text) => context.progress(text),
        });
        return toToolResult(result, settings.maxOutput);
      } catch (error) {
        return failed(failureText(server, { error, signal }));
      }
    },
  };
}

/** The input with the names that the server gave its parts. */
function asNamed(given: Input, renamed: ListedTool["renamed"]): Input {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [renamed[name] ?? name, value]),
  );
}

/** What the model is told when a server does not do what it should. */
export function failureText(
  server: string,
  { error, signal }: { error: unknown; signal: AbortSignal },
): string {
  if (signal.aborted) return "stopped before it was done";
  const reason = error instanceof Error ? error.message : String(error);
  return `The MCP server ${server} did not do it: ${reason}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
