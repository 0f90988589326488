import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import type { McpServerConfig } from "../../../src/agent/mcp/config.ts";
import type { McpLimits } from "../../../src/agent/mcp/limits.ts";
import { mcpPlan } from "../../../src/agent/mcp/server.ts";
import type { SignIns } from "../../../src/agent/mcp/oauth/sign-ins.ts";
import type { McpServer } from "../../../src/agent/mcp/server.ts";
import type { ToolContext, ToolResult } from "../../../src/agent/tools/tool.ts";
import { workbench } from "../tools/workbench.ts";
import type { Workbench } from "../tools/workbench.ts";

/** Opens servers for a test. None of their processes outlives the test. */
export interface Bench {
  readonly progress: readonly string[];
  readonly config: (file: string, ...args: string[]) => StdioConfig;
  readonly open: (config: McpServerConfig, options?: OpenOptions) => Promise<McpServer>;
  /** Calls a tool by the name that the server gave it. */
  readonly call: (
    server: McpServer,
    tool: string,
    options?: { input?: Record<string, unknown>; context?: Partial<ToolContext> },
  ) => Promise<ToolResult>;
}

type StdioConfig = Extract<McpServerConfig, { type: "stdio" }>;

interface OpenOptions {
  readonly name?: string;
  readonly limits?: Partial<McpLimits>;
  readonly signal?: AbortSignal;
  readonly patience?: number;
  readonly signIns?: SignIns;
}

/** Short limits, because tests wait for them. */
const limits: Partial<McpLimits> = {
  closeGrace: 200,
  backoff: { first: 10, max: 60_000, tries: 3, forgetAfter: 60_000 },
  changeDelay: 10,
};

export function mcpBench(test: TestContext): Bench {
  const opened: McpServer[] = [];
  const bench: Workbench = workbench(test);
  test.after(async () => {
    await Promise.all(opened.map((server) => server.close()));
    assert.deepEqual(serverProcesses(), []);
  });
  return {
    progress: bench.progress,
    config: (file, ...args) => ({
      type: "stdio",
      command: [process.execPath, join(import.meta.dirname, "servers", file), ...args],
      env: {},
      cwd: bench.directory,
      timeout: null,
    }),
    open: async (config, options = {}) => {
      const { name = "box", signal = new AbortController().signal, patience = null } = options;
      const ports = {
        environment: process.env,
        version: "0.0.0",
        directory: bench.directory,
        ...(options.signIns === undefined ? {} : { signIns: options.signIns }),
        limits: { ...limits, ...options.limits },
      };
      const server = await mcpPlan(name, config, ports).open(signal, patience);
      opened.push(server);
      return server;
    },
    call: (server, tool, { input = {}, context = {} } = {}) => {
      const found = server.tools().find(({ name }) => name === `${server.name}_${tool}`);
      assert.ok(found !== undefined, `${tool} is not there`);
      return bench.use(found, input, context);
    },
  };
}

/** Processes of the servers that a program has started, by their command. */
export function serverProcesses(owner = process.pid): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = contentOf(`/proc/${pid}/environ`);
      const isOurs = new RegExp(`HOLDFAST_MCP=[^/\0]*/${owner}/`).test(environment);
      return isOurs ? [`${pid} ${contentOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`] : [];
    });
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** Waits until a server's process has printed this. */
export async function printed(server: McpServer, words: string): Promise<void> {
  await waitFor(() => server.status().stderr, {
    describe: words,
    until: (stderr) => stderr.includes(words),
  });
}
