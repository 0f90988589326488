import { compactCommand } from "../../agent/compact-command.ts";
import { defaultRules } from "../../agent/permissions/default-rules.ts";
import type { McpPrompt } from "../../agent/mcp/server-prompt.ts";
import type {
  AgentProfile,
  AgentSetup,
  Models,
  PromptHooks,
  SlashCommand,
  ToolHooks,
} from "../../agent/setup.ts";
import { defaultToolSettings } from "../../agent/tools/tool.ts";
import type { Tool, ToolSettings } from "../../agent/tools/tool.ts";
import { usualAgent, usualProfile, usualSetup } from "../../agent/usual-setup.ts";
import type { AgentConfig, CommandConfig, Config } from "../config/config.ts";
import type { HostedPool } from "../../agent/hosted/pool.ts";
import type { HostedAgents } from "./hosted-agents.ts";
import type { GuardedFolders } from "./guarded-folders.ts";
import { quotedWords } from "../../agent/quoted-words.ts";

/** Creates the agent setup from the config. */
export function setupOf(
  config: Config,
  resources: {
    models: Models;
    tools: readonly Tool[];
    hooks: ToolHooks & PromptHooks;
    prompts: readonly McpPrompt[];
    serverInstructions: AgentSetup["instructions"];
    guarded: GuardedFolders;
    hosted: HostedAgents;
    pools: readonly HostedPool[];
  },
): AgentSetup {
  const { models, tools, hooks, prompts, serverInstructions, guarded, hosted } = resources;
  const own = [
    ...prompts.map(promptCommand),
    ...[...config.commands].map(([name, command]) => slashCommand(name, command)),
  ];
  const commands = new Map(own.map((command) => [command.name, command]));
  // A command with this name in the config replaces the built-in one.
  if (!commands.has(compactCommand.name)) commands.set(compactCommand.name, compactCommand);
  const toolSettings = { ...toolSettingsOf(config), guarded };
  const { maxSteps, stopGrace, budget, onBudget, budgetAskTime: askTime } = config.limits;
  return usualSetup({
    models,
    wish: config.wish,
    tools,
    hooks,
    profiles: profilesOf(config, hosted),
    hosted: new Map(resources.pools.map((pool) => [pool.name, pool])),
    defaultProfile: config.agent ?? usualAgent,
    toolSettings,
    rules: [...defaultRules(toolSettings), ...config.permissions],
    limits: { maxSteps, stopGrace, budget, onBudget, askTime, recovery: config.recovery },
    instructions: [...config.instructions, ...serverInstructions],
    commands,
  });
}

export function profilesOf(
  { agents }: Pick<Config, "agents">,
  hosted: Pick<HostedAgents, "found">,
): Map<string, AgentProfile> {
  const found = hosted.found.map(({ name, title }) => {
    const profile = { ...usualProfile, name, description: title, hosted: true as const };
    return [name, profile] as const;
  });
  const given = [...agents].map(([name, agent]) => [name, profileOf(name, agent)] as const);
  return new Map([[usualAgent, usualProfile], ...found, ...given]);
}

function profileOf(name: string, agent: AgentConfig): AgentProfile {
  const { description, prompt, model, wish, tools, permissions: rules, acp } = agent;
  const profile = { name, description, prompt, model, wish, tools, rules };
  return acp === undefined ? profile : { ...profile, hosted: true };
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

/** Creates a slash command from a command file: its text, with the arguments inserted. */
function slashCommand(name: string, config: CommandConfig): SlashCommand {
  const { description, text, agent, model, wish, file } = config;
  return {
    name,
    description,
    source: file,
    agent,
    model,
    wish,
    expand: async (given) => expandTemplate(text, given),
  };
}

/** Creates a slash command from a prompt of an MCP server, named `server:prompt`. */
function promptCommand(prompt: McpPrompt): SlashCommand {
  const { name, description } = prompt;
  const [server = ""] = name.split(":");
  return {
    name,
    description,
    source: `MCP server ${server}`,
    agent: null,
    model: null,
    expand: (given, signal) => prompt.expand(given, signal),
  };
}

/**
 * Replaces `$ARGUMENTS` with all arguments and `$1` to `$9` with single arguments, which may be quoted. Without a
 * placeholder, the arguments are appended. Inserted text is not expanded again.
 */
export function expandTemplate(text: string, given: string): string {
  const all = given.trim();
  const words = quotedWords(all);
  let used = false;
  const expanded = text.replaceAll(/\$(?:ARGUMENTS|([1-9])(?!\d))/g, (_, digit?: string) => {
    used = true;
    return digit === undefined ? all : (words[Number(digit) - 1] ?? "");
  });
  return used || all === "" ? expanded : `${expanded.trimEnd()}\n\n${all}`;
}
