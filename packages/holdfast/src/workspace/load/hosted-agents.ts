import { findAgent } from "../../agent/hosted/find-agent.ts";
import { knownAgent, knownAgents } from "../../agent/hosted/known-agents.ts";
import type { KnownAgent } from "../../agent/hosted/known-agents.ts";
import type { HostedConfig } from "../../agent/hosted/hosted-config.ts";
import type { HostedPool, PoolPorts } from "../../agent/hosted/pool.ts";
import type { Config } from "../config/config.ts";
import { warning } from "../loader.ts";
import type { Notice, Resource, ResourcePlan } from "../loader.ts";

/** The hosted agents of a directory: those in its config, and known agents that are installed on this machine. */
export interface HostedAgents {
  readonly plans: readonly ResourcePlan[];
  /** Known agents that are installed on this machine but not in the config. */
  readonly found: readonly KnownAgent[];
  readonly notices: readonly Notice[];
}

export async function loadHosted(
  { agents }: Pick<Config, "agents">,
  options: PoolPorts,
): Promise<HostedAgents> {
  const configs = new Map<string, HostedConfig>();
  const notices: Notice[] = [];
  const found: KnownAgent[] = [];
  const path = options.environment["PATH"] ?? "";
  const places = await Promise.all(
    knownAgents.map((agent) => findAgent(agent, { folder: options.folder, path })),
  );
  for (const [index, agent] of knownAgents.entries()) {
    const place = places[index] ?? null;
    const own = agents.get(agent.name);
    if (place === null || (own !== undefined && own.acp === undefined)) continue;
    const { command } = place;
    const { env = {}, sandbox = "off", folders = null } = own?.acp ?? {};
    const { variables, home } = agent;
    configs.set(agent.name, { command, env, variables, sandbox, folders: folders ?? home });
    if (own === undefined) found.push(agent);
  }
  for (const [name, { acp }] of agents) {
    if (acp === undefined) continue;
    const known = knownAgent(name);
    if (acp.command !== null) {
      const { command, env, sandbox, folders } = acp;
      const { variables = [], home = [] } = known ?? {};
      configs.set(name, { command, env, variables, sandbox, folders: folders ?? home });
    } else if (!configs.has(name) && known !== null) {
      notices.push(warning(`the agent ${name} is not installed; ${known.advice}`));
    }
  }
  if (configs.size === 0) return { plans: [], found, notices };
  notices.push(...(await sandboxNotices(configs)));
  const { hostedPlan } = await import("../../agent/hosted/pool.ts");
  const plans = [...configs].map(([name, config]) => hostedPlan(name, config, options));
  return { plans, found, notices };
}

/** Warns about agents that are configured to run in a sandbox if no sandbox works on this machine. */
async function sandboxNotices(
  configs: ReadonlyMap<string, HostedConfig>,
): Promise<readonly Notice[]> {
  const names = [...configs].flatMap(([name, { sandbox }]) => (sandbox === "auto" ? [name] : []));
  if (names.length === 0) return [];
  const { reportSandbox } = await import("../../agent/tools/sandbox/find-sandbox.ts");
  const { problem } = await reportSandbox();
  if (problem === null) return [];
  return names.map((name) => warning(`the agent ${name} runs without a sandbox: ${problem}`));
}

export function isHostedPool(resource: Resource): resource is Resource & HostedPool {
  return "acquire" in resource && "pids" in resource;
}
