import type { Client } from "@modelcontextprotocol/client";
import type { z } from "zod";
import type { McpServerConfig } from "./config.ts";
import { createHttpWire } from "./http-wire.ts";
import type { McpLimits } from "./limits.ts";
import { createStdioWire } from "./stdio-wire.ts";
import { brief } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** One life of a connection to a server: it ends once, and another one is made. */
export interface Connection {
  /** `name version`, as the server says it. */
  readonly server: string;
  /** Which lists it has. */
  readonly offers: {
    readonly tools: boolean;
    readonly prompts: boolean;
    readonly resources: boolean;
  };
  /** Resolves once, with why. */
  readonly ended: Promise<string>;
  request<Output>(
    method: string,
    options: {
      readonly params: Readonly<Record<string, unknown>>;
      readonly result: z.ZodType<Output>;
      readonly timeout: number;
      readonly maxTime?: number;
      readonly signal?: AbortSignal;
      readonly onProgress?: (text: string) => void;
    },
  ): Promise<Output>;
  pid(): number | null;
  notes(): readonly string[];
  /** Returns when nothing of it is left. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly config: McpServerConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: McpLimits;
  readonly now: () => number;
  readonly version: string;
  readonly signal: AbortSignal;
  /** One of its lists is another one now. */
  readonly onListChanged: () => void;
  /** There is a way to it, whether or not it ever answers. */
  readonly onWire: (wire: Pick<Wire, "stderr">) => void;
}

/** What went wrong with a server, in words for people and for the model. */
export class McpProblem extends Error {
  readonly code = "mcp";
  /** The request never reached the server, and can be made again on another connection. */
  readonly unsent: boolean;

  constructor(message: string, options: { cause?: unknown; unsent?: boolean } = {}) {
    super(message, options);
    this.name = "McpProblem";
    this.unsent = options.unsent ?? false;
  }
}

/** The first revision of the protocol that begins without a handshake. */
const newEra = "2026-07-28";

/** Starts or reaches a server. A failure leaves nothing behind. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  try {
    return await connectAs("legacy", options);
  } catch (error) {
    if (!(error instanceof McpProblem && isRefusal(error.cause))) throw error;
    // It is there, and perhaps too new for the handshake.
    return connectAs({ pin: newEra }, options).catch((other: unknown) => {
      throw options.signal.aborted ? other : error;
    });
  }
}

async function connectAs(
  mode: "legacy" | { pin: string },
  options: ConnectOptions,
): Promise<Connection> {
  const { limits, signal, version } = options;
  signal.throwIfAborted();
  const sdk = await import("@modelcontextprotocol/client");
  const changed = { autoRefresh: false, debounceMs: 0, onChanged: options.onListChanged };
  const client = new sdk.Client(
    { name: "holdfast", version },
    {
      versionNegotiation: { mode },
      listChanged: { tools: changed, prompts: changed, resources: changed },
      inputRequired: { autoFulfill: false },
    },
  );
  const wire = openWire(options, sdk.StreamableHTTPClientTransport);
  options.onWire(wire);
  try {
    await client.connect(wire.transport, { timeout: limits.connectTimeout, signal });
  } catch (error) {
    // What it prints when it is ended is not what kept it.
    const words = lastWords(wire);
    wire.fail("it did not get connected");
    await wire.close();
    signal.throwIfAborted();
    const problem = await problemOf(error, { wire, waited: limits.connectTimeout });
    if (!isLate(error)) throw problem;
    throw new McpProblem([problem.message, ...words].join(". "), { cause: error });
  }
  return connectionOf(client, wire);
}

function openWire(
  { config, environment, limits, now }: ConnectOptions,
  transport: Parameters<typeof createHttpWire>[0]["transport"],
): Wire {
  switch (config.type) {
    case "stdio":
      return createStdioWire({ config, environment, limits, now });
    case "http":
      return createHttpWire({ config, transport, limits, now });
  }
}

function connectionOf(client: Client, wire: Wire): Connection {
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    server: brief(`${name} ${version}`, 100),
    offers: {
      tools: tools !== undefined,
      prompts: prompts !== undefined,
      resources: resources !== undefined,
    },
    ended: wire.ended,
    request: async (method, { params, result, timeout, maxTime, signal, onProgress }) => {
      try {
        return await client.request({ method, params: { ...params } }, result, {
          timeout,
          resetTimeoutOnProgress: true,
          ...(maxTime === undefined ? {} : { maxTotalTimeout: maxTime }),
          ...(signal === undefined ? {} : { signal }),
          ...(onProgress === undefined
            ? {}
            : { onprogress: (progress) => onProgress(progressText(progress)) }),
        });
      } catch (error) {
        signal?.throwIfAborted();
        if (isLost(error)) wire.fail(lostText(error));
        throw await problemOf(error, { wire, waited: timeout });
      }
    },
    pid: () => wire.pid(),
    notes: () => wire.notes(),
    close: async () => {
      // The wire is closed in any case; a server that is gone cannot be told.
      await client.close().catch(() => {});
      await wire.close();
    },
  };
}

function progressText(progress: {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}): string {
  const { progress: done, total, message } = progress;
  const far = total === undefined ? String(done) : `${done}/${total}`;
  return `[${far}]${message === undefined ? "" : ` ${brief(message, 500)}`}\n`;
}

/** The server has answered, with an error. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ProtocolError" || error.name === "UnsupportedProtocolVersionError")
    return true;
  const status = statusOf(error);
  return status === 400 || status === 404 || status === 405;
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number"
    ? error.status
    : null;
}

/** The other side is not there any more, or no longer knows us. */
function isLost(error: unknown): boolean {
  return isUnreachable(error) || statusOf(error) === 404;
}

/** What fetch throws when there is no answer, or only half of one. */
function isUnreachable(error: unknown): error is TypeError {
  return error instanceof TypeError && ["fetch failed", "terminated"].includes(error.message);
}

function lostText(error: unknown): string {
  if (!isUnreachable(error)) return "the server no longer knows this connection";
  const { cause } = error;
  return `it cannot be reached: ${cause instanceof Error ? cause.message : error.message}`;
}

async function problemOf(
  error: unknown,
  { wire, waited }: { wire: Wire; waited: number },
): Promise<McpProblem> {
  if (isLate(error)) {
    return new McpProblem(`it did not answer within ${waited} ms`, { cause: error });
  }
  if (isLost(error)) {
    return new McpProblem(lostText(error), { cause: error, unsent: wasNotSent(error) });
  }
  const code = codeOf(error);
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") {
    return new McpProblem(withLastWords(await wire.ended, wire), { cause: error });
  }
  const status = statusOf(error);
  const said = error instanceof Error ? error.message : String(error);
  const text = brief(said.replace(/^Error POSTing to endpoint: */, ""), 1_000);
  const told = text === "" ? "" : `: ${text}`;
  const advice = adviceTo[status ?? 0] ?? "";
  const answer = status === null ? text : `it answered with status ${status}${told}${advice}`;
  return new McpProblem(withLastWords(answer, wire), { cause: error });
}

const key = ' (give it a key under "headers", such as "authorization")';
const adviceTo: Readonly<Record<number, string | undefined>> = {
  401: key,
  403: key,
  405: " (is this the address for streamable HTTP? The older way with two addresses is not known here)",
};

/** Nobody has listened, or whoever did has turned the request away unread. */
function wasNotSent(error: unknown): boolean {
  if (statusOf(error) === 404) return true;
  const cause = isUnreachable(error) ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}

function isLate(error: unknown): boolean {
  return codeOf(error) === "REQUEST_TIMEOUT";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function withLastWords(reason: string, wire: Wire): string {
  return [reason, ...lastWords(wire)].join(". ");
}

/** What is wrong with a process it says on its standard error, if anywhere. */
function lastWords(wire: Wire): readonly string[] {
  const printed = lastPrinted(wire.stderr());
  return printed === null ? wire.notes() : [`It printed: ${printed}`];
}

/** The last lines of what was printed, as one; null when there are none. */
export function lastPrinted(stderr: string): string | null {
  const last = stderr.trim().split("\n").slice(-3).join(" ");
  return last === "" ? null : brief(last, 500);
}
