import { join } from "node:path";
import { knownAgent } from "../../agent/hosted/known-agents.ts";
import { readInstalled } from "../../agent/hosted/find-agent.ts";
import type { HostedPool } from "../../agent/hosted/pool.ts";
import { createRunningAgents } from "../../agent/hosted/running-agents.ts";
import { programVersion } from "../../base/package.ts";
import { withDeadline, withTimeout } from "../../base/time.ts";
import { isHostedPool, loadHosted } from "../../workspace/load/hosted-agents.ts";
import { ConfigError } from "../../workspace/config/read-config.ts";
import { openSetup } from "../setup.ts";
import { dataFolder } from "../stores.ts";
import type { SetupPlace } from "./check-setup.ts";
import { brokenConfig, fail, ok, unknown, warn } from "./finding.ts";
import type { Check, Finding } from "./finding.ts";

const subject = "agents";

/**
 * Starts each hosted agent of the directory and opens a session of the agent, to find out the agent's version and
 * whether the agent is signed in. No prompt is sent.
 */
export function agentCheck(place: AgentPlace): Check {
  return { subject, run: (signal) => agentFindings(place, signal) };
}

interface AgentPlace extends SetupPlace {
  /** Milliseconds for the start of each agent. */
  readonly limit: number;
}

async function agentFindings(place: AgentPlace, signal: AbortSignal): Promise<readonly Finding[]> {
  const { environment, home, directory } = place;
  const folder = join(dataFolder(environment, home), "agents");
  const hosted = await readHosted(place, folder);
  if (hosted === null) return [brokenConfig(subject)];
  const opened = await Promise.all(hosted.plans.map((plan) => plan.open(signal, null)));
  const pools = opened.filter(isHostedPool);
  const missing = hosted.notices.map(({ message }) => warn(subject, message, "holdfast agents"));
  if (pools.length + missing.length === 0) return [ok(subject, "no other agent is installed")];
  const checks = pools.map(async (pool) => [
    ...(await versionFindings(pool, folder)),
    await startFinding(pool, { directory, signal, limit: place.limit }),
  ]);
  return [...missing, ...(await Promise.all(checks)).flat()];
}

async function readHosted({ environment, home, directory }: SetupPlace, folder: string) {
  await using stack = new AsyncDisposableStack();
  const setup = await openSetup({
    environment,
    home,
    model: null,
    watch: false,
    onError: () => {},
  });
  stack.defer(() => setup.close());
  try {
    const { config } = await setup.configs.read(directory);
    const running = createRunningAgents();
    return await loadHosted(config, { folder, environment, version: programVersion(), running });
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

async function versionFindings({ name }: HostedPool, folder: string): Promise<readonly Finding[]> {
  const tested = knownAgent(name)?.package?.version;
  const installed = await readInstalled(join(folder, name));
  if (installed === null || tested === undefined || installed.version === tested) return [];
  const text = `${name}: version ${installed.version} is installed; Holdfast is tested with ${tested}`;
  return [warn(subject, text, `holdfast agents add ${name}`)];
}

async function startFinding(
  pool: HostedPool,
  options: { directory: string; signal: AbortSignal; limit: number },
): Promise<Finding> {
  const { name } = pool;
  const { SignInNeeded } = await import("../../agent/hosted/foreign-session.ts");
  const { AgentGone } = await import("../../agent/hosted/agent-process.ts");
  const { directory, limit } = options;
  const fresh = { foreign: null, lastTurn: null, signIn: null };
  const start = async (signal: AbortSignal): Promise<Finding> => {
    try {
      const request = { sessionId: "doctor", directory, ...fresh, signal };
      const { software } = await pool.acquire(request);
      return ok(subject, `${name}: ${software || "version unknown"}, opens a session`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof SignInNeeded) {
        const fix = "sign in with the agent's own program; see docs/HOSTED.md#sign-in";
        return warn(subject, `${name}: not signed in: ${message}`, fix);
      }
      if (signal.aborted) {
        return unknown(subject, `${name}: no session within ${limit / 1_000} s`);
      }
      const advice = error instanceof AgentGone ? error.advice : null;
      const fix = advice ?? "check its command: holdfast config --check, holdfast agents";
      return fail(subject, `${name}: cannot be used: ${message}`, fix);
    }
  };
  try {
    return await withDeadline(start, { milliseconds: limit, signals: [options.signal] });
  } finally {
    await withTimeout(pool.close(), { milliseconds: 2_000, late: () => undefined });
  }
}
