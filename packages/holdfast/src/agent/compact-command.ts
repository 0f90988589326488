import type { UserMessage } from "./message.ts";
import type { SlashCommand } from "./setup.ts";

/**
 * Slash command that summarizes the conversation on request. It is sent as a normal prompt, so queue order, cancel and
 * recovery work as usual (docs/decisions/0023).
 */
export const compactCommand: SlashCommand = {
  name: "compact",
  description: "Summarize the conversation for the model; you can add what it must keep",
  source: "Holdfast",
  agent: null,
  model: null,
  builtIn: true,
  expand: async (given) => {
    const focus = given.trim();
    return focus === "" ? request : `${request} Keep above all: ${focus}`;
  },
};

const request = "Summarize the conversation so far.";

/** True if the prompt uses the built-in command, not a command of the directory with the same name. */
export function asksToCompact({ command }: Pick<UserMessage, "command">): boolean {
  return command?.builtIn === true && command.name === compactCommand.name;
}
