import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { TextKind } from "@holdfast/sdk";
import { addClientOptions } from "../client-options.ts";
import { addHelp, directoryOption } from "../help-text.ts";
import { readCount } from "./define-queue.ts";
import type { SearchOptions } from "./search-command.ts";

const kinds: readonly TextKind[] = ["title", "prompt", "answer", "toolCall", "toolResult"];

/** Defines `holdfast search`. */
export function defineSearch(program: Command, onDone: (exitCode: number) => void): void {
  const command = addHelp(program.command("search"), {
    summary: "Search titles, prompts, answers and tool calls of all sessions",
    description:
      "Print the texts that contain all words, newest first. Case is ignored. Words in quotation marks must occur next to " +
      "each other in this order. A word that ends with * finds all words that start with it.",
    examples: [
      "holdfast search flaky test",
      "holdfast search readFile --kind toolCall --dir .",
      "holdfast search '\"connection reset\"' --since 2026-11-01",
    ],
  })
    .argument("<words...>", "Words to search for")
    .option("--session <id>", "Only texts of this session")
    .addOption(directoryOption("Only sessions in this directory or below it"))
    .addOption(
      new Option(
        "--kind <kind>",
        "Only texts of this kind: title, prompt, answer, toolCall or toolResult; separate multiple values with commas",
      ).argParser(readKinds),
    )
    .addOption(
      new Option("--since <time>", "Only texts written at or after this date or time").argParser(
        readTime,
      ),
    )
    .addOption(
      new Option("--until <time>", "Only texts written before this date or time").argParser(
        readTime,
      ),
    )
    .option("--archived", "Only archived sessions")
    .option("--limit <count>", "Number of texts to print", readCount, 20)
    .option("--json", "Print each text as a line of JSON");
  addClientOptions(command).action(
    async (words: readonly string[], options: Omit<SearchOptions, "words">) => {
      onDone(await (await import("./search-command.ts")).searchTexts({ ...options, words }));
    },
  );
}

function readKinds(text: string): readonly TextKind[] {
  return text.split(",").map((name) => {
    const kind = kinds.find((known) => known === name);
    if (kind !== undefined) return kind;
    throw new InvalidArgumentError(`Choose from ${kinds.join(", ")}.`);
  });
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time) && time >= 0) return time;
  throw new InvalidArgumentError(
    "Write a date such as 2026-11-01, or a time such as 2026-11-01T09:30.",
  );
}
