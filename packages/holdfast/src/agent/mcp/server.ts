import { createHash } from "node:crypto";
import type { Tool } from "../tools/tool.ts";
import { readCatalogue } from "./catalogue.ts";
import type { Catalogue } from "./catalogue.ts";
import { createChanges } from "./changes.ts";
import type { McpServerConfig } from "./config.ts";
import { connect, lastPrinted, McpProblem } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { openLifeline } from "./lifeline.ts";
import type { LifeStatus } from "./lifeline.ts";
import { defaultMcpLimits } from "./limits.ts";
import type { McpLimits } from "./limits.ts";
import { serverPrompt } from "./server-prompt.ts";
import type { McpPrompt } from "./server-prompt.ts";
import { serverTool } from "./server-tool.ts";
import type { McpRequest } from "./server-tool.ts";
import type { Wire } from "./wire.ts";

/** A server that a directory uses. It may crash and come back: what it offers stays in its place. */
export interface McpServer {
  readonly name: string;
  /** Changes when what it offers does. */
  version(): string;
  /** It offers something else now. Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  tools(): readonly Tool[];
  prompts(): readonly McpPrompt[];
  hasResources(): boolean;
  readonly request: McpRequest;
  status(): McpStatus;
  /** What people are told while it is not there yet. */
  notice(): string | null;
  /** Returns when no process and no connection of it is left. */
  close(): Promise<void>;
}

export interface McpStatus {
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** `failed`: it is not tried again before the next call or a restart. */
  readonly status: LifeStatus;
  /** What is wrong: why it is not connected, or what was left out of what it offers. */
  readonly problem: string | null;
  /** What it says that it is. */
  readonly server: string | null;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly prompts: readonly { readonly name: string; readonly description: string }[];
  readonly resources: number;
  /** The last that its process has printed. */
  readonly stderr: string;
  readonly pid: number | null;
  /** How often it was connected again. */
  readonly restarts: number;
}

export interface McpPorts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of this program, told to servers. */
  readonly version: string;
  readonly limits?: Partial<McpLimits>;
}

/** What it takes to open a server: the same key is the same server. */
export interface McpPlan {
  readonly key: string;
  readonly title: string;
  /** With patience, a server that is not there in time is opened without tools: they come later. */
  open(signal: AbortSignal, patience: number | null): Promise<McpServer>;
}

export function mcpPlan(name: string, config: McpServerConfig, ports: McpPorts): McpPlan {
  const hash = createHash("sha256").update(JSON.stringify(config)).digest("hex").slice(0, 16);
  return {
    key: `mcp:${name}:${hash}`,
    title: `MCP server ${name}`,
    open: (signal, patience) => openServer({ name, config, ports, signal, patience }),
  };
}

async function openServer(options: {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly ports: McpPorts;
  readonly signal: AbortSignal;
  readonly patience: number | null;
}): Promise<McpServer> {
  const { name, config, ports, signal, patience } = options;
  const { environment, version } = ports;
  const limits = { ...defaultMcpLimits, ...ports.limits };
  const listeners = new Set<() => void>();
  let offer = emptyOffer;
  let newest: Connection | null = null;
  /** What has something to print, the newest first. */
  let wires: readonly Pick<Wire, "stderr">[] = [];
  const printed = (): string =>
    wires.map((wire) => wire.stderr()).find((text) => text !== "") ?? "";

  const take = (catalogue: Catalogue): void => {
    const isSame = catalogue.digest === offer.catalogue.digest;
    offer = isSame ? { ...offer, catalogue } : offerOf(name, catalogue, request);
    if (!isSame) for (const listener of listeners) listener();
  };
  const readInto = async (connection: Connection, signal: AbortSignal): Promise<void> => {
    take(await readCatalogue(name, connection, { limits, signal }));
  };
  const changes = createChanges({
    limits,
    now,
    look: async (signal) => {
      if (newest !== null) await readInto(newest, signal);
    },
  });
  const begin = async (signal: AbortSignal): Promise<Connection> => {
    const connection = await connect({
      config,
      environment,
      limits,
      now,
      version,
      signal,
      onListChanged: () => changes.seen(),
      onWire: (wire) => (wires = [wire, ...wires.slice(0, 1)]),
    });
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
    const timeout = config.timeout ?? limits.callTimeout;
    const full = { ...given, timeout, maxTime: Math.max(timeout, limits.maxCallTime) };
    try {
      return await (await lifeline.connection(given.signal)).request(method, full);
    } catch (error) {
      if (!(error instanceof McpProblem && error.unsent)) throw error;
      return (await lifeline.connection(given.signal)).request(method, full);
    }
  };
  const { backoff } = limits;
  const lifeline = await openLifeline({ begin, backoff, now, signal, patience });

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
    request,
    status: () => {
      const connection = lifeline.current();
      const { problem, ...state } = lifeline.state();
      const notes = [problem, ...offer.catalogue.notes, ...(connection?.notes() ?? [])];
      return {
        name,
        transport: config.type,
        ...state,
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
      offer === emptyOffer ? absence(name, { ...lifeline.state(), stderr: printed() }) : null,
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

/** What a server offers, as tools and commands. */
interface Offer {
  readonly catalogue: Catalogue;
  readonly tools: readonly Tool[];
  readonly prompts: readonly McpPrompt[];
}

const emptyOffer: Offer = {
  catalogue: { digest: "", tools: [], prompts: [], resources: null, notes: [] },
  tools: [],
  prompts: [],
};

function offerOf(name: string, catalogue: Catalogue, request: McpRequest): Offer {
  return {
    catalogue,
    tools: catalogue.tools.map((tool): Tool => serverTool(name, tool, request)),
    prompts: catalogue.prompts.map((prompt) => serverPrompt(name, prompt, request)),
  };
}

function absence(
  name: string,
  life: { status: LifeStatus; problem: string | null; stderr: string },
): string {
  const { status, problem } = life;
  // What is wrong says already what was printed.
  const last = problem === null ? lastPrinted(life.stderr) : null;
  const why = problem ?? (last === null ? null : `it has printed ${last}`);
  const what =
    status === "failed"
      ? `MCP server ${name} could not be opened`
      : `MCP server ${name} is not there yet, and runs begin without its tools`;
  return why === null ? what : `${what}: ${why}`;
}

function summaryOf(thing: { name: string; description: string }): {
  name: string;
  description: string;
} {
  return { name: thing.name, description: thing.description };
}
