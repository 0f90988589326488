import type { Prompt, PromptOptions } from "@holdfast/sdk";

/** Fields of a prompt that decide how it runs, such as its model. */
type NamedOptions = Pick<
  PromptOptions,
  "agent" | "model" | "agentMode" | "effort" | "thinking" | "command"
>;

/** Returns the options that the sender of a prompt set, so that the prompt can be sent again with them. */
export function promptOptions({
  agent,
  model,
  agentMode,
  effort,
  thinking,
  command,
}: Pick<Prompt, keyof NamedOptions>): NamedOptions {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(agentMode === undefined ? {} : { agentMode }),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(command === undefined
      ? {}
      : { command: { name: command.name, arguments: command.arguments } }),
  };
}

/** Returns the text of a prompt as the user typed it: a command with its arguments, or the text itself. */
export function typedText({ text, command }: Pick<Prompt, "text" | "command">): string {
  if (command === undefined) return text ?? "";
  return `/${command.name} ${command.arguments}`.trimEnd();
}
