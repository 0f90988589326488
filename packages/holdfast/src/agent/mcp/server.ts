import { createHash } from "node:crypto";
import type { Tool } from "../tools/tool.ts";
import { readCatalogue } from "./catalogue.ts";
import type { Catalogue } from "./catalogue.ts";
import { createChanges } from "./changes.ts";
import type { McpServerConfig } from "./config.ts";
import { connect } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { openLifeline } from "./lifeline.ts";
import type { LifeStatus } from "./lifeline.ts";
import { defaultMcpLimits } from "./limits.ts";
import type { McpLimits } from "./limits.ts";
import { lastPrinted, McpProblem } from "./problem.ts";
import { serverPrompt } from "./server-prompt.ts";
import type { McpPrompt } from "./server-prompt.ts";
import { serverTool } from "./server-tool.ts";
import type { McpRequest, ToolServer } from "./server-tool.ts";
import type { SignIns } from "./oauth/sign-ins.ts";
import type { Wire } from "./wire.ts";

/** An MCP server of a directory. Its tools stay available if the server crashes and reconnects. */
export interface McpServer {
  readonly name: string;
  /** Returns a value that changes when the server's tools, prompts or resources change. */
  version(): string;
  /** Calls the listener when the server's tools, prompts or resources change. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
  tools(): readonly Tool[];
  prompts(): readonly McpPrompt[];
  hasResources(): boolean;
  /** Returns the server's own usage instructions. Null if there are none. */
  instructions(): string | null;
  readonly request: McpRequest;
  status(): McpStatus;
  /** Returns a message for people while the server is unavailable, else null. */
  notice(): string | null;
  /** Resolves when all processes and connections of the server have ended. */
  close(): Promise<void>;
}

export interface McpStatus {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** `failed`: Holdfast tries to connect again only at the next call or after a restart. */
  readonly status: LifeStatus;
  /** The reason why the server is not connected, or notes about dropped tools. */
  readonly problem: string | null;
  /** True if the last connection attempt or request failed because a person must sign in. */
  readonly needsSignIn: boolean;
  /** Name and version reported by the server. */
  readonly server: string | null;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly prompts: readonly { readonly name: string; readonly description: string }[];
  readonly resources: number;
  /** The end of the server process's stderr. */
  readonly stderr: string;
  readonly pid: number | null;
  /** Number of reconnects. */
  readonly restarts: number;
}

export interface McpPorts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Version of Holdfast, sent to servers. */
  readonly version: string;
  /** Real path of the directory whose sessions use the server. */
  readonly directory: string;
  /** Stored sign-ins. Missing: servers that require a sign-in cannot be used. */
  readonly signIns?: SignIns;
  readonly limits?: Partial<McpLimits>;
}

/** Describes an MCP server and how to open it. Plans with the same `key` describe the same server. */
export interface McpPlan {
  readonly key: string;
  readonly title: string;
  /** True: the directory is loaded even if the server cannot be started. */
  readonly isOptional: boolean;
  /**
   * Opens the server. If it is not ready within `maxFirstWait` milliseconds, resolves without tools, which are added
   * later.
   */
  open(signal: AbortSignal, maxFirstWait: number | null): Promise<McpServer>;
}

export function mcpPlan(name: string, config: McpServerConfig, ports: McpPorts): McpPlan {
  const hash = createHash("sha256").update(JSON.stringify(config)).digest("hex").slice(0, 16);
  return {
    key: `mcp:${name}:${hash}`,
    title: `MCP server ${name}`,
    isOptional: config.type === "stdio" && config.optional === true,
    open: (signal, maxFirstWait) => openServer({ name, config, ports, signal, maxFirstWait }),
  };
}

async function openServer(options: {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly ports: McpPorts;
  readonly signal: AbortSignal;
  readonly maxFirstWait: number | null;
}): Promise<McpServer> {
  const { name, config, ports, signal, maxFirstWait } = options;
  const { environment, version, directory, signIns } = ports;
  const limits = { ...defaultMcpLimits, ...ports.limits };
  const timeout = config.timeout ?? limits.callTimeout;
  const maxCallTime = Math.max(timeout, limits.maxCallTime);
  const listeners = new Set<() => void>();
  let offer = emptyOffer;
  let newest: Connection | null = null;
  let needsSignIn = false;
  /** Transports with stderr output, newest first. */
  let wires: readonly Pick<Wire, "stderr">[] = [];
  const printed = (): string =>
    wires.map((wire) => wire.stderr()).find((text) => text !== "") ?? "";

  const take = (catalogue: Catalogue): void => {
    const isSame = catalogue.digest === offer.catalogue.digest;
    offer = isSame ? { ...offer, catalogue } : offerOf(name, catalogue, { request, maxCallTime });
    if (!isSame) for (const listener of listeners) listener();
  };
  const readInto = async (connection: Connection, signal: AbortSignal): Promise<void> => {
    take(await readCatalogue(name, connection, { limits, signal }));
  };
  const changes = createChanges({
    limits,
    now,
    readLists: async (signal) => {
      if (newest !== null) await readInto(newest, signal);
    },
  });
  const begin = async (signal: AbortSignal): Promise<Connection> => {
    const connecting = connect({
      name,
      config,
      directory,
      signIns,
      environment,
      limits,
      now,
      version,
      signal,
      onListChanged: () => changes.notify(),
      onWire: (wire) => (wires = [wire, ...wires.slice(0, 1)]),
    });
    const connection = await connecting.catch((error: unknown) => {
      needsSignIn = error instanceof McpProblem && error.needsSignIn;
      throw error;
    });
    needsSignIn = false;
    newest = connection;
    try {
      await readInto(connection, signal);
      signal.throwIfAborted();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  };
  const request: McpRequest = async (method, given) => {
    const full = { ...given, timeout, maxTime: maxCallTime };
    const send = async () => (await lifeline.connection(given.signal)).request(method, full);
    try {
      const answer = await send();
      needsSignIn = false;
      return answer;
    } catch (error) {
      if (!(error instanceof McpProblem)) throw error;
      needsSignIn = error.needsSignIn;
      if (!error.unsent) throw error;
      return send();
    }
  };
  const { backoff } = limits;
  const lifeline = await openLifeline({ begin, backoff, now, signal, maxFirstWait });

  return {
    name,
    version: () => offer.catalogue.digest,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tools: () => offer.tools,
    prompts: () => offer.prompts,
    hasResources: () => offer.catalogue.resources !== null,
    instructions: () => offer.catalogue.instructions,
    request,
    status: () => {
      const connection = lifeline.current();
      const { problem, ...state } = lifeline.state();
      const notes = [problem, ...offer.catalogue.notes, ...(connection?.notes() ?? [])];
      return {
        name,
        transport: config.type,
        ...state,
        needsSignIn,
        problem: notes.filter((note) => note !== null).join("; ") || null,
        server: connection?.server ?? null,
        tools: offer.tools.map(summaryOf),
        prompts: offer.prompts.map(summaryOf),
        resources: offer.catalogue.resources ?? 0,
        stderr: printed(),
        pid: connection?.pid() ?? null,
      };
    },
    notice: () =>
      offer === emptyOffer
        ? unavailableText(name, { ...lifeline.state(), stderr: printed() })
        : null,
    close: async () => {
      listeners.clear();
      changes.stop();
      await lifeline.close();
    },
  };
}

function now(): number {
  return performance.now();
}

/** The tools and commands that a server offers. */
interface Offer {
  readonly catalogue: Catalogue;
  readonly tools: readonly Tool[];
  readonly prompts: readonly McpPrompt[];
}

const emptyOffer: Offer = {
  catalogue: { digest: "", tools: [], prompts: [], resources: null, instructions: null, notes: [] },
  tools: [],
  prompts: [],
};

function offerOf(name: string, catalogue: Catalogue, server: ToolServer): Offer {
  return {
    catalogue,
    tools: catalogue.tools.map((tool): Tool => serverTool(name, tool, server)),
    prompts: catalogue.prompts.map((prompt) => serverPrompt(name, prompt, server.request)),
  };
}

function unavailableText(
  name: string,
  life: { status: LifeStatus; problem: string | null; stderr: string },
): string {
  const { status, problem } = life;
  // If there is a problem, its text already includes stderr.
  const last = problem === null ? lastPrinted(life.stderr) : null;
  const why = problem ?? (last === null ? null : `its stderr ends with: ${last}`);
  const what =
    status === "failed"
      ? `MCP server ${name} could not be opened`
      : `MCP server ${name} is not ready yet. Runs start without its tools`;
  return why === null ? what : `${what}: ${why}`;
}

function summaryOf(thing: { name: string; description: string }): {
  name: string;
  description: string;
} {
  return { name: thing.name, description: thing.description };
}
