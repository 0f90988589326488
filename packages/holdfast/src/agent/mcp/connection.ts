import type * as Sdk from "@modelcontextprotocol/client";
import type { Client, ClientOptions } from "@modelcontextprotocol/client";
import type { z } from "zod";
import { createCallers } from "./caller.ts";
import type { Caller, Callers } from "./caller.ts";
import { createCallTimer } from "./call-timer.ts";
import type { McpServerConfig } from "./config.ts";
import { createHttpWire } from "./http-wire.ts";
import type { HttpWireOptions } from "./http-wire.ts";
import { requestWithInput } from "./input-required.ts";
import type { McpLimits } from "./limits.ts";
import { createTokenSource } from "./oauth/token-source.ts";
import { noOAuthSettings, signInKey } from "./oauth/sign-ins.ts";
import type { SignIns } from "./oauth/sign-ins.ts";
import {
  isLate,
  isLost,
  isRefusal,
  lostText,
  McpProblem,
  missingScope,
  problemOf,
  stderrNote,
} from "./problem.ts";
import { answerServer, clientCapabilities } from "./server-requests.ts";
import { createSseWire } from "./sse-wire.ts";
import { createStdioWire } from "./stdio-wire.ts";
import { brief, cleanText } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** A connection to a server. A connection that has ended is never reused but replaced by a new one. */
export interface Connection {
  /** `name version`, as reported by the server. */
  readonly server: string;
  /** The server's own usage instructions, truncated to the limit. Null if there are none. */
  readonly instructions: string | null;
  /** True if the connection repeats arguments in HTTP headers for tools that require it. */
  readonly hasParameterHeaders: boolean;
  /** True if the server runs tool calls as tasks. */
  readonly hasTasks: boolean;
  /** True for each kind of item that the MCP server offers. */
  readonly offers: {
    readonly tools: boolean;
    readonly prompts: boolean;
    readonly resources: boolean;
  };
  /** Resolves once with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  request<Output>(method: string, options: ConnectionRequest<Output>): Promise<Output>;
  pid(): number | null;
  notes(): readonly string[];
  /** Resolves when all resources of the connection are released. */
  close(): Promise<void>;
}

export interface ConnectionRequest<Output> {
  readonly params: Readonly<Record<string, unknown>>;
  readonly result: z.ZodType<Output>;
  readonly timeout: number;
  readonly maxTime?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
  /** Handles requests that the server sends during this request. Missing: such requests are refused. */
  readonly caller?: Caller;
  /** Additional HTTP headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ConnectOptions {
  /** The server's name in the config. */
  readonly name: string;
  readonly config: McpServerConfig;
  /** Real path of the directory in which the MCP server may work. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: McpLimits;
  readonly now: () => number;
  readonly version: string;
  /** Stored sign-ins. Missing: the server cannot use a sign-in. */
  readonly signIns?: SignIns | undefined;
  readonly signal: AbortSignal;
  /** Called when one of the server's lists has changed. */
  readonly onListChanged: () => void;
  /** Called when the transport is open, even if the server never answers. */
  readonly onWire: (wire: Pick<Wire, "stderr">) => void;
}

/** The first protocol revision without a handshake. */
const handshakeFreeVersion = "2026-07-28";

type Mode = NonNullable<NonNullable<ClientOptions["versionNegotiation"]>["mode"]>;
type OpenWire = (sdk: typeof Sdk) => Wire;

/** Starts an MCP server, or connects to a running one. If this fails, releases all resources of the connection. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { config } = options;
  if (config.type === "http") return connectByHttp(config, options);
  const open = (): Wire => createStdioWire({ ...options, config });
  return unlessRefused(options, {
    first: () => connectAs("legacy", { ...options, open }),
    second: () => connectAs({ pin: handshakeFreeVersion }, { ...options, open }),
  });
}

/**
 * Tries the newest protocol first, as that protocol requires. An older server may never answer, so the older handshake
 * is tried after a timeout.
 */
async function connectByHttp(
  config: Extract<McpServerConfig, { type: "http" }>,
  options: ConnectOptions,
): Promise<Connection> {
  const http = httpOptions(config, options);
  const open: OpenWire = (sdk) =>
    createHttpWire({ ...http, transport: sdk.StreamableHTTPClientTransport });
  const openSse: OpenWire = (sdk) => createSseWire({ ...http, transport: sdk.SSEClientTransport });
  return unlessRefused(options, {
    first: () =>
      connectAs("auto", { ...options, open }).catch((error: unknown) => {
        if (!(error instanceof McpProblem && isLate(error.cause))) throw error;
        const { connectTimeout, probeTimeout } = options.limits;
        const timeout = Math.max(connectTimeout - probeTimeout, probeTimeout);
        return connectAs("legacy", { ...options, open, timeout });
      }),
    second: () => connectAs("legacy", { ...options, open: openSse }),
  });
}

function httpOptions(
  config: Extract<McpServerConfig, { type: "http" }>,
  { limits, now, signIns }: ConnectOptions,
): HttpWireOptions {
  const settings = config.oauth ?? noOAuthSettings;
  const auth =
    signIns === undefined
      ? {}
      : { auth: createTokenSource({ serverUrl: config.url, settings, signIns }) };
  return { config, limits, now, ...auth };
}

/** Tries the second way to connect if the server rejects the first. If both fail, throws the error of the first. */
async function unlessRefused(
  { signal }: ConnectOptions,
  { first, second }: Readonly<Record<"first" | "second", () => Promise<Connection>>>,
): Promise<Connection> {
  try {
    return await first();
  } catch (error) {
    if (!(error instanceof McpProblem && isRefusal(error.cause))) throw error;
    return second().catch((other: unknown) => {
      throw signal.aborted ? other : error;
    });
  }
}

async function connectAs(
  mode: Mode,
  options: ConnectOptions & { readonly open: OpenWire; readonly timeout?: number },
): Promise<Connection> {
  const { limits, signal, version, timeout = limits.connectTimeout } = options;
  signal.throwIfAborted();
  const sdk = await import("@modelcontextprotocol/client");
  const changed = { autoRefresh: false, debounceMs: 0, onChanged: options.onListChanged };
  const client = new sdk.Client(
    { name: "holdfast", version },
    {
      capabilities: clientCapabilities,
      versionNegotiation:
        mode === "auto" ? { mode, probe: { timeoutMs: limits.probeTimeout } } : { mode },
      listChanged: { tools: changed, prompts: changed, resources: changed },
      inputRequired: { autoFulfill: false },
    },
  );
  const callers = createCallers();
  answerServer(client, { callers, directory: options.directory });
  const wire = options.open(sdk);
  options.onWire(wire);
  try {
    await client.connect(wire.transport, { timeout, signal });
  } catch (error) {
    // Read stderr before closing, because output during the shutdown does not explain the failure.
    const words = stderrNote(wire);
    wire.fail("the connection failed");
    await wire.close();
    signal.throwIfAborted();
    const problem = await problemOf(error, {
      wire,
      lateText: `the server did not answer within ${limits.connectTimeout / 1_000} s`,
      name: options.name,
    });
    if (!isLate(error)) throw problem;
    throw new McpProblem([problem.message, ...words].join(". "), { cause: error });
  }
  return connectionOf(client, { wire, callers, options });
}

interface Opened {
  readonly wire: Wire;
  readonly callers: Callers;
  readonly options: ConnectOptions;
}

function connectionOf(client: Client, { wire, callers, options }: Opened): Connection {
  const { name = "", version = "" } = client.getServerVersion() ?? {};
  const { tools, prompts, resources, tasks } = client.getServerCapabilities() ?? {};
  const instructions = client.getInstructions()?.trim() ?? "";
  return {
    server: brief(`${name} ${version}`, 100),
    instructions:
      instructions === "" ? null : cleanText(instructions, options.limits.maxInstructions),
    hasParameterHeaders: options.config.type === "http" && client.getProtocolEra() === "modern",
    hasTasks: tasks?.requests?.tools?.call !== undefined,
    offers: {
      tools: tools !== undefined,
      prompts: prompts !== undefined,
      resources: resources !== undefined,
    },
    ended: wire.ended,
    request: async (method, request) => {
      const { timeout, maxTime, signal } = request;
      const timer = createCallTimer({ silence: timeout, total: maxTime ?? null });
      try {
        return await requestWithInput(client, {
          ...request,
          method,
          callers,
          timer,
          directory: options.directory,
        });
      } catch (error) {
        signal?.throwIfAborted();
        if (isLost(error)) wire.fail(lostText(error));
        await rememberScope(error, options);
        throw await problemOf(error, { wire, lateText: timer.lateText(), name: options.name });
      } finally {
        timer.stop();
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

/** Stores the scope that the server requires, so that the next sign-in requests it. */
async function rememberScope(error: unknown, { config, signIns }: ConnectOptions): Promise<void> {
  const scope = missingScope(error);
  if (scope === null || config.type !== "http" || signIns === undefined) return;
  const key = signInKey(config.url);
  const known = await signIns.read(key);
  if (known === null) return;
  const { computeScopeUnion } = await import("@modelcontextprotocol/client");
  const wantedScope = computeScopeUnion(known.tokens?.scope, scope) ?? null;
  await signIns.put(key, { ...known, wantedScope });
}
