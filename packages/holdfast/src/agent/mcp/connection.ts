import type { Client } from "@modelcontextprotocol/client";
import type { z } from "zod";
import type { McpServerConfig } from "./config.ts";
import { createHttpWire } from "./http-wire.ts";
import type { McpLimits } from "./limits.ts";
import { createStdioWire } from "./stdio-wire.ts";
import { brief } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** One connection to a server. After it ended, a new connection is made. */
export interface Connection {
  /** `name version`, as reported by the server. */
  readonly server: string;
  /** The lists that the server supports. */
  readonly offers: {
    readonly tools: boolean;
    readonly prompts: boolean;
    readonly resources: boolean;
  };
  /** Resolves once with the reason when the connection has ended. */
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
  /** Resolves when all resources of the connection are released. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly config: McpServerConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: McpLimits;
  readonly now: () => number;
  readonly version: string;
  readonly signal: AbortSignal;
  /** Called when a list of the server changed. */
  readonly onListChanged: () => void;
  /** Called when the transport is open, even if the server never answers. */
  readonly onWire: (wire: Pick<Wire, "stderr">) => void;
}

/** An error of an MCP server, with a message for people and for the model. */
export class McpProblem extends Error {
  readonly code = "mcp";
  /** True if the request never reached the server and can be repeated on another connection. */
  readonly unsent: boolean;

  constructor(message: string, options: { cause?: unknown; unsent?: boolean } = {}) {
    super(message, options);
    this.name = "McpProblem";
    this.unsent = options.unsent ?? false;
  }
}

/** The first protocol revision without a handshake. */
const handshakeFreeVersion = "2026-07-28";

/** Starts or connects to a server. If it fails, everything is cleaned up. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  try {
    return await connectAs("legacy", options);
  } catch (error) {
    if (!(error instanceof McpProblem && isRefusal(error.cause))) throw error;
    // The server answers with an error. It may be too new for the handshake, so try without one.
    return connectAs({ pin: handshakeFreeVersion }, options).catch((other: unknown) => {
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
    // Read stderr before closing: output during shutdown does not explain the failure.
    const words = stderrNote(wire);
    wire.fail("the connection failed");
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
      // Ignore errors: the transport is closed next, and a server that is gone cannot be notified.
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

/** True if the server answered with an error. */
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

/** True if the server is unreachable or no longer knows this session. */
function isLost(error: unknown): boolean {
  return isUnreachable(error) || statusOf(error) === 404;
}

/** True for the errors that fetch throws without a complete answer. */
function isUnreachable(error: unknown): error is TypeError {
  return error instanceof TypeError && ["fetch failed", "terminated"].includes(error.message);
}

function lostText(error: unknown): string {
  if (!isUnreachable(error)) return "the server no longer knows this session";
  const { cause } = error;
  return `the server cannot be reached: ${cause instanceof Error ? cause.message : error.message}`;
}

async function problemOf(
  error: unknown,
  { wire, waited }: { wire: Wire; waited: number },
): Promise<McpProblem> {
  if (isLate(error)) {
    return new McpProblem(`the server did not answer within ${waited} ms`, { cause: error });
  }
  if (isLost(error)) {
    return new McpProblem(lostText(error), { cause: error, unsent: wasNotSent(error) });
  }
  const code = codeOf(error);
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") {
    return new McpProblem(withStderr(await wire.ended, wire), { cause: error });
  }
  const status = statusOf(error);
  const said = error instanceof Error ? error.message : String(error);
  const text = brief(said.replace(/^Error POSTing to endpoint: */, ""), 1_000);
  const detail = text === "" ? "" : `: ${text}`;
  const advice = adviceFor[status ?? 0] ?? "";
  const answer =
    status === null ? text : `the server answered with status ${status}${detail}${advice}`;
  return new McpProblem(withStderr(answer, wire), { cause: error });
}

const key = ' (set a key under "headers", such as "authorization")';
const adviceFor: Readonly<Record<number, string | undefined>> = {
  401: key,
  403: key,
  405: " (check that the URL is a streamable HTTP endpoint; the older HTTP+SSE transport is not supported)",
};

/** True if no process listened, or the server rejected the request before reading it. */
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

function withStderr(reason: string, wire: Wire): string {
  return [reason, ...stderrNote(wire)].join(". ");
}

/** The end of stderr, which usually explains why a server process failed. */
function stderrNote(wire: Wire): readonly string[] {
  const printed = lastPrinted(wire.stderr());
  return printed === null ? wire.notes() : [`Its stderr ends with: ${printed}`];
}

/** Returns the last lines of stderr as one line, or null if there are none. */
export function lastPrinted(stderr: string): string | null {
  const last = stderr.trim().split("\n").slice(-3).join(" ");
  return last === "" ? null : brief(last, 500);
}
