import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const manifest: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

test("a script prints its usage with --help, and after an unknown option without a stack trace", () => {
  const help = run("replay.ts", "--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  assert.match(help.stdout, /^npm run replay -- FILE \[--at SEQ\]\n/);
  const wrong = run("replay.ts", "--nonsense");
  assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /^Unknown option '--nonsense'.*\n\nnpm run replay -- FILE/);
  assert.doesNotMatch(wrong.stderr, /\n {4}at /);
});

test("a script refuses an unknown word, a wrong number and an unknown name in a list", () => {
  const problems = [["nodse"], ["--kills", "many"], ["--store", "oracle"]].map((words) => {
    const { status, stdout, stderr } = run("soak.ts", ...words);
    assert.deepEqual([status, stdout], [2, ""]);
    return stderr.split("\n")[0];
  });
  assert.deepEqual(problems, [
    "Unexpected argument 'nodse'",
    "--kills needs a number, not 'many'",
    "--store: 'oracle' is not one of sqlite, postgres",
  ]);
});

function run(script: string, ...words: readonly string[]) {
  return spawnSync(process.execPath, [`scripts/${script}`, ...words], {
    cwd: root,
    encoding: "utf8",
    timeout: 120_000,
  });
}

test("every script with options or a long run has a help text that names its npm command", () => {
  const scripts = Object.entries(manifest.scripts).flatMap(([name, command]) => {
    const [file] = /scripts\/[\w-]+\.ts$/.exec(command) ?? [];
    return file === undefined || withoutOptions.has(name) ? [] : [{ name, file }];
  });
  assert.ok(scripts.length > 10, `${scripts.length} scripts`);
  const lacking = scripts.filter(({ name, file }) => {
    const text = readFileSync(join(root, file), "utf8");
    const command = name === "test" ? "`npm test" : `\`npm run ${name}`;
    return !text.includes("./read-arguments.ts") || !text.includes(command);
  });
  assert.deepEqual(lacking, []);
});

/** Scripts without options, and scripts that read their options without `readArguments`. */
const withoutOptions: ReadonlySet<string> = new Set([
  "build",
  "build:web",
  "check",
  "generate",
  "generate:models",
  "release",
  "screens",
  "start",
  "types",
]);
