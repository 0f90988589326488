import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandDescriptions } from "./samples/command-descriptions.ts";
import { sourceComments } from "./samples/comments.ts";
import { draw } from "./samples/draw.ts";
import { errorMessages } from "./samples/error-messages.ts";
import { interfaceTexts } from "./samples/interface-texts.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run samples -- --out FOLDER [--seed TEXT]

Draws texts of the program at random, for people who do not know the project to judge. Everybody
gets the same texts for the same commit.

  --out FOLDER    Folder for the samples
  --seed TEXT     Draw other texts (default: the hash of the current commit)`;

/** The last commit before the rules for plain English (CONTRIBUTING.md). */
const firstCommit = "07a1674";

const root = join(import.meta.dirname, "..");
const { values } = readArguments({
  usage,
  options: { out: { type: "string" }, seed: { type: "string" } },
});
if (values.out === undefined) {
  console.error("samples: name a folder for the samples. Run: npm run samples -- --out FOLDER");
  process.exitCode = 2;
} else {
  const folder = resolve(values.out);
  const seed = values.seed ?? git("rev-parse", "HEAD").trim();
  const texts = interfaceTexts();
  const keys = draw({ seed, name: "interface", from: [...texts.en.keys()], count: 60 });
  const samples: Record<string, readonly string[]> = {
    comments: draw({ seed, name: "comments", from: sourceComments(root), count: 200 }),
    "command-descriptions": commandDescriptions(),
    "error-messages": draw({ seed, name: "errors", from: errorMessages(root), count: 100 }),
    "interface-en": keys.map((key) => texts.en.get(key) ?? ""),
    "interface-zh": keys.map((key) => texts.zh.get(key) ?? ""),
    "commit-subjects": draw({ seed, name: "commits", from: commitSubjects(), count: 60 }),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, items] of Object.entries(samples)) {
    const numbered = items.map((item, index) => `${index + 1}.\n${indent(item)}\n`);
    writeFileSync(join(folder, `${name}.txt`), numbered.join("\n"));
    console.log(`samples: ${items.length} in ${name}.txt`);
  }
}

function commitSubjects(): string[] {
  return git("log", "--format=%s", `${firstCommit}..HEAD`).trim().split("\n");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" });
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
