import { compactCommand } from "../../agent/compact-command.ts";
import { defaultRules } from "../../agent/permissions/rules.ts";
import type { McpPrompt } from "../../agent/mcp/server-prompt.ts";
import type {
  AgentProfile,
  AgentSetup,
  Models,
  PromptHooks,
  ToolHooks,
} from "../../agent/setup.ts";
import { defaultToolSettings } from "../../agent/tools/tool.ts";
import type { Tool, ToolSettings } from "../../agent/tools/tool.ts";
import { usualAgent, usualProfile, usualSetup } from "../../agent/usual-setup.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import type { GuardedFolders } from "./guarded-folders.ts";
import { promptCommand, slashCommand } from "./slash-command.ts";

/** What the agent works with, as the config says it. */
export function setupOf(
  config: Config,
  parts: {
    models: Models;
    tools: readonly Tool[];
    hooks: ToolHooks & PromptHooks;
    prompts: readonly McpPrompt[];
    guarded: GuardedFolders;
  },
): AgentSetup {
  const { models, tools, hooks, prompts, guarded } = parts;
  const own = [
    ...prompts.map(promptCommand),
    ...[...config.commands].map(([name, command]) => slashCommand(name, command)),
  ];
  const commands = new Map(own.map((command) => [command.name, command]));
  // The directory's own of this name is the one that people there mean.
  if (!commands.has(compactCommand.name)) commands.set(compactCommand.name, compactCommand);
  const toolSettings = { ...toolSettingsOf(config), guarded };
  const { maxSteps, stopGrace, budget, onBudget, budgetAskTime: askTime } = config.limits;
  return usualSetup({
    models,
    tools,
    hooks,
    profiles: profilesOf(config),
    defaultProfile: config.agent ?? usualAgent,
    toolSettings,
    rules: [...defaultRules(toolSettings), ...config.permissions],
    limits: { maxSteps, stopGrace, budget, onBudget, askTime, recovery: config.recovery },
    instructions: config.instructions,
    commands,
  });
}

export function profilesOf({ agents }: Pick<Config, "agents">): Map<string, AgentProfile> {
  const given = [...agents].map(([name, agent]) => [name, profileOf(name, agent)] as const);
  return new Map([[usualAgent, usualProfile], ...given]);
}

function profileOf(name: string, agent: AgentConfig): AgentProfile {
  const { description, prompt, model, tools, permissions: rules } = agent;
  return { name, description, prompt, model, tools, rules };
}

function toolSettingsOf({ limits, sandbox }: Config): ToolSettings {
  const { shell, fetch, ...others } = defaultToolSettings;
  return {
    ...others,
    allowedPaths: sandbox.allowedPaths,
    shell: {
      ...shell,
      timeout: limits.shellTimeout ?? shell.timeout,
      sandbox: sandbox.shell ?? shell.sandbox,
      network: sandbox.network ?? shell.network,
      variables: sandbox.variables,
    },
    fetch: {
      ...fetch,
      timeout: limits.fetchTimeout ?? fetch.timeout,
      allowPrivate: sandbox.privateAddresses ?? fetch.allowPrivate,
    },
  };
}
