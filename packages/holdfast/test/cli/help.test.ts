import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";

interface Page {
  /** For example `holdfast queue move`. */
  readonly path: string;
  readonly command: Command;
  readonly text: string;
}

function pagesOf(command: Command, path: string): Page[] {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  const below = command.commands.flatMap((part) => pagesOf(part, `${path} ${part.name()}`));
  return [{ path, command, text }, ...below];
}

const program = createProgram([], () => {});
const pages = pagesOf(program, "holdfast");

test("every help page has a description and an example of its command", () => {
  assert.ok(pages.length > 50, `${pages.length} pages`);
  const lacking = pages.filter(({ path, command, text }) => {
    const examples = text.split("\nExamples:\n")[1]?.match(/^ {2}\$ .+$/gm) ?? [];
    const isShown = examples.some((line) => `${line} `.includes(`${path} `));
    return command.description() === "" || !isShown;
  });
  assert.deepEqual(
    lacking.map(({ path }) => path),
    [],
  );
});

test("help of completion creates the folder of fish before it writes the script", () => {
  const { text = "" } = pages.find(({ path }) => path === "holdfast completion") ?? {};
  assert.match(text, /mkdir -p (\S+) && holdfast completion fish > \1\/holdfast\.fish\n/);
});

test("every command and option is described by a short phrase that starts with a capital", () => {
  const phrases = pages.flatMap(({ path, command }) => [
    ...(command === program ? [] : [{ where: path, text: command.summary() }]),
    ...command.options.map(({ flags, description }) => ({
      where: `${path} ${flags}`,
      text: description,
    })),
  ]);
  assert.deepEqual(
    phrases.filter(({ text }) => !/^[A-Z].{3,109}[^.;]$/.test(text)),
    [],
  );
});

test("no description starts with a pronoun or a question word", () => {
  const texts = pages.flatMap(({ command }) => [
    command.description(),
    ...command.options.map(({ description }) => description),
  ]);
  const dangling = /^(?:what|who|whom|whoever|those|these|that|it|they|where|how)\b/i;
  assert.deepEqual(
    texts.filter((text) => dangling.test(text)),
    [],
  );
});
