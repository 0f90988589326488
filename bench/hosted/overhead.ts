import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { openPermissions } from "../../packages/holdfast/src/agent/coding/policy.ts";
import { runHosted } from "../../packages/holdfast/src/agent/hosted/hosted-agent.ts";
import { hostedPlan } from "../../packages/holdfast/src/agent/hosted/pool.ts";
import { createRunningAgents } from "../../packages/holdfast/src/agent/hosted/running-agents.ts";
import { createRememberedRules } from "../../packages/holdfast/src/agent/permissions/remembered.ts";
import { createPeer } from "../../packages/holdfast/src/base/json-rpc.ts";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { median } from "../measure/statistics.ts";
import { ask, openRuntime } from "../runner/runtime.ts";

const stub = resolve(import.meta.dirname, "../../packages/holdfast/test/support/stub-agent.ts");
const text = "say hello";

/**
 * Sends the same prompt alternately to an external ACP agent directly and to the same agent through Holdfast, and
 * compares the times.
 */
export async function benchHosted(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-bench-hosted-")));
  const bare = await openBare(folder);
  const hosted = await openHosted(engine, folder);
  const pairs = options.quick ? 5 : 200;
  options.progress(
    `${pairs} prompts, each sent once to the hosted agent and once to the same agent without Holdfast`,
  );
  const times: Record<"bare" | "hosted" | "overhead", number[]> = {
    bare: [],
    hosted: [],
    overhead: [],
  };
  try {
    for (let pair = -10; pair < pairs; pair += 1) {
      const [alone, through] = [await timed(bare.prompt), await timed(hosted.prompt)];
      // The first ten rounds (one prompt to each agent) are a warm-up: their times include the start of the agent and
      // the compilation of code.
      if (pair < 0) continue;
      times.bare.push(alone);
      times.hosted.push(through);
      times.overhead.push(through - alone);
    }
  } finally {
    bare.close();
    await hosted.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const overhead = median(times.overhead);
  const names = { bare: "agent without Holdfast", hosted: "the same agent, hosted" } as const;
  return {
    figures: (["bare", "hosted"] as const).map((side) => ({
      engine: engine.name,
      group: "a prompt to a hosted agent",
      name: names[side],
      values: {
        p50Ms: median(times[side]),
        ...(side === "hosted" ? { overheadMs: overhead } : {}),
      },
      ratios: [],
    })),
    targets: [
      target({
        engine: engine.name,
        name: "ms more than the agent without Holdfast",
        bound: { atMost: 10 },
        value: overhead,
      }),
    ],
  };
}

interface Side {
  readonly prompt: () => Promise<void>;
}

async function openHosted(
  engine: Engine,
  folder: string,
): Promise<Side & { close(): Promise<void> }> {
  const env = { STUB_HOME: join(folder, "hosted") };
  const config = {
    command: [process.execPath, stub] as const,
    env,
    variables: [],
    sandbox: "off",
    folders: [],
  } as const;
  const running = createRunningAgents();
  const ports = { environment: process.env, version: "0.0.0", folder, running };
  const pool = await hostedPlan("stub", config, ports).open();
  const remembered = createRememberedRules(join(folder, "permissions"), {
    redact: (words) => words,
  });
  const holdfast = await openRuntime({
    place: await engine.newPlace(),
    maxRuns: 1,
    agent: {
      name: "hosted",
      opensWithStep: true,
      run: async function* (context) {
        const { sessionId, directory } = context;
        const rules = { rules: [], remembered, sessionId, directory };
        const permissions = await openPermissions(rules);
        yield* runHosted({ pool, permissions, grace: 3_000, agents: [] }, context);
      },
    },
  });
  const { sessionId } = await holdfast.createSession({ directory: folder, title: "hosted" });
  return {
    prompt: () => ask(holdfast, sessionId, text),
    close: async () => {
      await holdfast.close();
      await pool.close();
    },
  };
}

async function openBare(folder: string): Promise<Side & { close(): void }> {
  const env = { ...process.env, STUB_HOME: join(folder, "bare") };
  const child = spawn(process.execPath, [stub], { env, stdio: ["pipe", "pipe", "inherit"] });
  const peer = createPeer({
    send: (line) => child.stdin.write(`${line}\n`),
    asked: async () => null,
    notified: () => {},
    describe: (error) => ({ code: -32_603, message: String(error) }),
  });
  createInterface({ input: child.stdout }).on("line", (line) => peer.take(line));
  const { signal } = new AbortController();
  await peer.request("initialize", { protocolVersion: 1 }, signal);
  const opened = await peer.request("session/new", { cwd: folder, mcpServers: [] }, signal);
  const { sessionId }: { sessionId?: unknown } = Object(opened);
  const params = { sessionId, prompt: [{ type: "text", text }] };
  return {
    prompt: async () => void (await peer.request("session/prompt", params, signal)),
    close: () => child.kill(),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
