import type { Client, InputRequiredResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Caller, Callers } from "./caller.ts";
import type { CallTimer } from "./call-timer.ts";
import type { ConnectionRequest } from "./connection.ts";
import { rootsOf, whilePaused } from "./server-requests.ts";
import { brief } from "./wire.ts";

/** Maximum number of times that a server may ask for input during one request. After that, the request fails. */
const maxRounds = 10;
/**
 * The longest timeout that a timer supports. It effectively disables the SDK's timeout, because `CallTimer` limits the
 * request.
 */
const longest = 2 ** 31 - 1;

type InputRequest<Output> = ConnectionRequest<Output> & {
  readonly method: string;
  readonly callers: Callers;
  readonly timer: CallTimer;
  readonly directory: string;
};

/**
 * Sends a request. If the server answers that it needs input, gets the input from the caller and sends the request
 * again with it.
 */
export async function requestWithInput<Output>(
  client: Client,
  request: InputRequest<Output>,
): Promise<Output> {
  const { withInputRequired, isInputRequiredResult } = await import("@modelcontextprotocol/client");
  const { caller, callers, timer } = request;
  const schema = withInputRequired(request.result);
  let params = { ...request.params };
  const send = () =>
    client.request({ method: request.method, params }, schema, sendOptions(request));
  for (let round = 0; round <= maxRounds; round += 1) {
    const active = caller === undefined ? null : { caller, pause: () => timer.pause() };
    const result = await (active === null ? send() : callers.run(active, send)).catch(
      async (error: unknown) => {
        if (active === null || !(await visitAll(error, active.caller, timer))) throw error;
        return callers.run(active, send);
      },
    );
    if (!isInputRequiredResult(result)) return result;
    if (active === null)
      throw new Error("the MCP server asked for input, which is possible only during a tool call");
    const inputResponses = await whilePaused(active, () => responsesTo(result, request, caller));
    const { requestState } = result;
    params = {
      ...request.params,
      ...(inputResponses === null ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }
  throw new Error(`the MCP server asked for input more than ${maxRounds} times in one tool call`);
}

const visitsSchema = z.object({
  code: z.literal(-32_042),
  data: z.object({ elicitations: z.array(z.unknown()).min(1).max(5) }),
});

/**
 * Some servers refuse a call until a person has opened certain addresses. Asks the person to open them, and returns
 * true if the person accepted all.
 */
async function visitAll(error: unknown, caller: Caller, timer: CallTimer): Promise<boolean> {
  const visits = visitsSchema.safeParse(error).data?.data.elicitations ?? [];
  return whilePaused({ caller, pause: () => timer.pause() }, async () => {
    for (const visit of visits) {
      if ((await caller.elicit(visit)).action !== "accept") return false;
    }
    return visits.length > 0;
  });
}

function sendOptions<Output>({ signal, timer, onProgress, headers }: InputRequest<Output>) {
  const signals = signal === undefined ? [timer.signal] : [signal, timer.signal];
  return {
    allowInputRequired: true,
    timeout: longest,
    signal: AbortSignal.any(signals),
    ...(headers === undefined ? {} : { headers }),
    ...(onProgress === undefined
      ? {}
      : {
          onprogress: (progress: Progress) => {
            timer.touch();
            onProgress(progressText(progress));
          },
        }),
  };
}

async function responsesTo<Output>(
  { inputRequests }: InputRequiredResult,
  { directory }: InputRequest<Output>,
  caller: Caller | undefined,
): Promise<Record<string, unknown> | null> {
  if (inputRequests === undefined || caller === undefined) return null;
  const responses: Record<string, unknown> = {};
  for (const [key, { method, params }] of Object.entries(inputRequests)) {
    responses[key] = await responseTo(method, { params, directory, caller });
  }
  return responses;
}

function responseTo(
  method: string,
  { params, directory, caller }: { params: unknown; directory: string; caller: Caller },
): unknown {
  switch (method) {
    case "elicitation/create":
      return caller.elicit(params);
    case "sampling/createMessage":
      return caller.sample(params);
    case "roots/list":
      return rootsOf(directory);
    default:
      throw new Error(`the MCP server asked for input of an unknown kind: ${brief(method, 100)}`);
  }
}

interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

function progressText({ progress: done, total, message }: Progress): string {
  const far = total === undefined ? String(done) : `${done}/${total}`;
  return `[${far}]${message === undefined ? "" : ` ${brief(message, 500)}`}\n`;
}
