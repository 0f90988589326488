import { z } from "zod";
import { failed } from "../tools/result.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { callResultSchema, toToolResult } from "./call-result.ts";
import type { Caller } from "./caller.ts";
import type { ListedTool } from "./catalogue.ts";
import type { Connection } from "./connection.ts";
import { createElicitation } from "./elicitation.ts";
import { headersFor } from "./parameter-headers.ts";
import { createSampling } from "./sampling.ts";
import { callAsTask } from "./task-call.ts";

/** Sends a request on the server's current connection. */
export type McpRequest = <Output>(
  method: string,
  options: Omit<Parameters<Connection["request"]>[1], "result" | "timeout"> & {
    readonly result: z.ZodType<Output>;
  },
) => Promise<Output>;

type Input = Readonly<Record<string, unknown>>;

// Accept any arguments here, because the server validates them. Its schema may contain very slow regular expressions.
const input: z.ZodType<Input> = z.record(z.string(), z.unknown());

/** Access to an MCP server for its tools. */
export interface ToolServer {
  readonly request: McpRequest;
  /** Maximum milliseconds of a call, without the time in which a person answers. */
  readonly maxCallTime: number;
}

/** Wraps a server's tool as a Holdfast tool. Its effect is unknown, so it needs permission. */
export function serverTool(
  server: string,
  listed: ListedTool,
  { request, maxCallTime }: ToolServer,
): Tool<Input> {
  const { name, part, schema, renamed, readOnly, headers } = listed;
  return {
    name,
    description: listed.description || `The tool ${part} of the MCP server ${server}.`,
    input,
    schema,
    // Trust the server's hint that the tool only reads: at worst, an allowed call is repeated.
    repeatable: readOnly,
    parallel: readOnly,
    permission: (given) => ({
      action: "mcp",
      subject: `${server}/${part}`,
      readOnly,
      preview: `${part} of the MCP server ${server}, with ${json(given)}`,
    }),
    run: async (given, context) => {
      const { signal, settings } = context;
      try {
        const all = withServerNames(given, renamed);
        const call = {
          params: { name: listed.original, arguments: all },
          signal,
          onProgress: (text: string) => context.progress(text),
          caller: callerOf(server, context),
          ...(headers.length === 0 ? {} : { headers: headersFor(headers, all) }),
        };
        const result = await (listed.asTask
          ? callAsTask(request, { ...call, maxTime: maxCallTime })
          : request("tools/call", { ...call, result: callResultSchema }));
        return toToolResult(result, settings.maxOutput);
      } catch (error) {
        return failed(failureText(server, { error, signal }));
      }
    },
  };
}

/**
 * Returns the handlers for requests that the server sends during the call. The handlers pass each request to the people
 * or to the model of the calling run.
 */
function callerOf(server: string, context: ToolContext): Caller {
  const { runId, callId } = context;
  return {
    runId,
    elicit: createElicitation(server, { runId, callId, ask: (ask) => context.agent.ask(ask) }),
    sample: createSampling(server, context),
  };
}

/** Restores the server's names of renamed properties. */
function withServerNames(given: Input, renamed: ListedTool["renamed"]): Input {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [renamed[name] ?? name, value]),
  );
}

/** Returns the error text for the model. */
export function failureText(
  server: string,
  { error, signal }: { error: unknown; signal: AbortSignal },
): string {
  if (signal.aborted) return "The run stopped before the call ended.";
  const reason = error instanceof Error ? error.message : String(error);
  return `The call to the MCP server ${server} failed: ${reason}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
