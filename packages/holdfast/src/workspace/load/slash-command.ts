import type { McpPrompt } from "../../agent/mcp/server-prompt.ts";
import { quotedWords } from "../../agent/quoted-words.ts";
import type { SlashCommand } from "../../agent/setup.ts";
import type { CommandConfig } from "../config/config.ts";

/** A command out of a file: its text, with the arguments put in. */
export function slashCommand(name: string, config: CommandConfig): SlashCommand {
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
export function promptCommand(prompt: McpPrompt): SlashCommand {
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
