import type { Command } from "commander";
import { createProgram } from "../../packages/holdfast/src/cli/program.ts";

/**
 * Lists the summary and description of every command, and the descriptions of options and arguments. An option
 * that several commands share is listed once.
 */
export function commandDescriptions(): string[] {
  const found = new Map<string, string>();
  for (const { path, text } of describe(
    createProgram([], () => {}),
    "holdfast",
  )) {
    if (!found.has(text)) found.set(text, `${path}${text}`);
  }
  return [...found.values()];
}

interface Described {
  readonly path: string;
  readonly text: string;
}

function describe(command: Command, path: string): Described[] {
  const { options, registeredArguments } = command;
  return [
    ...(command.summary() === "" ? [] : [{ path, text: `: ${command.summary()}` }]),
    { path, text: ` --help\n${command.description()}` },
    ...registeredArguments
      .filter(({ description }) => description !== "")
      .map((argument) => ({ path, text: ` <${argument.name()}>: ${argument.description}` })),
    ...options.map(({ flags, description }) => ({ path, text: ` ${flags}: ${description}` })),
    ...command.commands.flatMap((part) => describe(part, `${path} ${part.name()}`)),
  ];
}
