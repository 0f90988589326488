import type { Budget } from "../../kernel/state.ts";
import { isKnownAgent } from "../../agent/hosted/known-agents.ts";
import { mergeWishes } from "../../agent/model/reasoning.ts";
import { usualAgent } from "../../agent/usual-setup.ts";
import type {
  AgentConfig,
  CommandConfig,
  Config,
  HookConfig,
  LimitsConfig,
  QuotasConfig,
  RetentionConfig,
} from "./config.ts";
import { milliseconds } from "./duration.ts";
import type { LayerValue } from "./layer.ts";
import { suggestion } from "./nearest.ts";
import { resolveAcp } from "./resolve-acp.ts";
import { resolveAllowedPaths, resolveInstructions, resolveCatalogue } from "./resolve-files.ts";
import { resolveMcp } from "./resolve-mcp.ts";
import { resolveProviders } from "./resolve-providers.ts";
import type { Resolving } from "./resolving.ts";

/** Converts the merged layers to a config. Adds problems to the notices of `resolving`. */
export async function resolveConfig(value: LayerValue, resolving: Resolving): Promise<Config> {
  const agents = new Map<string, AgentConfig>();
  for (const [name, entry] of Object.entries(value.agents ?? {})) {
    const acp = await resolveAcp(name, entry, resolving);
    agents.set(name, {
      description: entry.description ?? "",
      prompt: entry.prompt ?? null,
      model: entry.model ?? null,
      wish: mergeWishes([entry]),
      tools: entry.tools ?? null,
      permissions: entry.permissions ?? [],
      ...(acp === null ? {} : { acp }),
    });
  }
  const commands = new Map(
    Object.entries(value.commands ?? {})
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, entry]): [string, CommandConfig] => [
        name,
        {
          file: entry.file,
          description: entry.description ?? "",
          text: entry.text,
          agent: entry.agent ?? null,
          model: entry.model ?? null,
          wish: mergeWishes([entry]),
        },
      ]),
  );
  checkAgentNames(value, { agents, resolving });
  const { sandbox = {}, hooks = {} } = value;
  return {
    model: value.model ?? null,
    wish: mergeWishes([value]),
    smallModel: value.smallModel ?? null,
    catalogue: await resolveCatalogue(resolving),
    agent: value.agent ?? null,
    agents,
    commands,
    permissions: value.permissions ?? [],
    mcp: await resolveMcp(value.mcp, resolving),
    providers: await resolveProviders(value.providers, resolving),
    limits: limitsOf(value),
    recovery: value.recovery ?? null,
    retention: retentionOf(value),
    quotas: quotasOf(value),
    sandbox: {
      shell: sandbox.shell ?? null,
      network: sandbox.network ?? null,
      allowedPaths: await resolveAllowedPaths(resolving),
      privateAddresses: sandbox.privateAddresses ?? null,
      variables: sandbox.variables ?? [],
    },
    hooks: {
      promptAccepted: hooksOf(hooks.promptAccepted),
      beforeTool: hooksOf(hooks.beforeTool),
      afterTool: hooksOf(hooks.afterTool),
      settled: hooksOf(hooks.settled),
      notice: hooksOf(hooks.notice),
    },
    instructions: await resolveInstructions(resolving),
  };
}

function checkAgentNames(
  value: LayerValue,
  { agents, resolving }: { agents: ReadonlyMap<string, unknown>; resolving: Resolving },
): void {
  const names = [usualAgent, ...agents.keys()];
  const check = (path: string[], name: string | undefined): void => {
    if (name === undefined || names.includes(name) || isKnownAgent(name)) return;
    const list = names.join(", ");
    resolving.error(
      path,
      `there is no agent ${name} (available: ${list})${suggestion(name, names)}`,
    );
  };
  check(["agent"], value.agent);
  for (const [name, { agent }] of Object.entries(value.commands ?? {})) {
    check(["commands", name, "agent"], agent);
  }
}

function limitsOf({ limits = {} }: LayerValue): LimitsConfig {
  return {
    maxSteps: limits.maxSteps ?? null,
    stopGrace: milliseconds(limits.stopGrace) ?? null,
    budget: budgetOf(limits.budget),
    onBudget: limits.onBudget ?? null,
    budgetAskTime: milliseconds(limits.budgetAskTime) ?? null,
    daily: budgetOf(limits.daily),
    monthly: budgetOf(limits.monthly),
    token: budgetOf(limits.token),
    shellTimeout: milliseconds(limits.shellTimeout) ?? null,
    fetchTimeout: milliseconds(limits.fetchTimeout) ?? null,
  };
}

function budgetOf(
  given: { tokens?: number | undefined; cost?: number | undefined } = {},
): Budget | null {
  const { tokens, cost } = given;
  if (tokens === undefined && cost === undefined) return null;
  return { tokens: tokens ?? null, cost: cost ?? null };
}

function retentionOf({ retention = {} }: LayerValue): RetentionConfig {
  return {
    archiveAfter: milliseconds(retention.archiveAfter) ?? null,
    deleteArchivedAfter: milliseconds(retention.deleteArchivedAfter) ?? null,
    deleteUploadsAfter: milliseconds(retention.deleteUploadsAfter) ?? null,
  };
}

function quotasOf({ quotas = {} }: LayerValue): QuotasConfig {
  const { uploadBytes = null, sessions = null, logBytes = null } = quotas;
  return { uploadBytes, sessions, logBytes };
}

const defaultHookTimeout = 30_000;

function hooksOf(
  entries: readonly {
    command: string;
    timeout?: string | undefined;
    match?: string | undefined;
  }[] = [],
): readonly HookConfig[] {
  return entries.map(({ command, timeout, match = null }) => ({
    command,
    match,
    timeout: milliseconds(timeout) ?? defaultHookTimeout,
  }));
}
