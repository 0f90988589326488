import { compactCommand } from "../../agent/compact-command.ts";
import { defaultRules } from "../../agent/permissions/rules.ts";
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
import type { GuardedFolders } from "./guarded-folders.ts";
import { quotedWords } from "../../agent/quoted-words.ts";

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

/** A command out of a file: its text, with the arguments put in. */
function slashCommand(name: string, config: CommandConfig): SlashCommand {
  const { description, text, agent, model, file } = config;
  return {
    name,
    description,
    source: file,
    agent,
    model,
    expand: async (given) => expandTemplate(text, given),
  };
}

/** A prompt of an MCP server, under its own name and the server's. */
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
 * `$ARGUMENTS` is all that was given, `$1` to `$9` are its words, where quotes keep some together. A text
 * that has no place for arguments gets them at its end. What was put in is not looked at again.
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
