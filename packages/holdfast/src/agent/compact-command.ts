import type { UserMessage } from "./message.ts";
import type { SlashCommand } from "./setup.ts";

/**
 * Has the conversation summed up when people want it, and not only when it is too long. It is a prompt
 * like any other, so that its place, its cancel and its recovery are too (docs/decisions/0023).
 */
export const compactCommand: SlashCommand = {
  name: "compact",
  description: "Sum up the conversation for the model; after it, say what to keep above all",
  source: "Holdfast",
  agent: null,
  model: null,
  builtIn: true,
  expand: async (given) => {
    const focus = given.trim();
    return focus === "" ? request : `${request} Keep above all: ${focus}`;
  },
};

const request = "Sum up the conversation so far.";

/** Whether a prompt is that command, and not one of the directory's of the same name. */
export function asksToCompact({ command }: Pick<UserMessage, "command">): boolean {
  return command?.builtIn === true && command.name === compactCommand.name;
}
