import { spawnSync } from "node:child_process";
import { reportSandbox } from "../packages/holdfast/src/agent/tools/sandbox/find-sandbox.ts";
import { attacks } from "../packages/holdfast/test/agent/tools/sandbox/attacks.ts";
import { withField } from "../packages/holdfast/test/agent/tools/sandbox/field.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run escape

Tries to escape from the sandbox, as an unprivileged user and, if root runs the script, also as
root, and prints a table. Fails if an attempt succeeds that the sandbox is meant to block. See
docs/SECURITY.md.`;

const nobody = 65_534;
const { values } = readArguments({ usage, options: { "as-child": { type: "boolean" } } });
const isChild = values["as-child"] === true;

process.exitCode = isChild ? await runAll() : await runBoth();

async function runBoth(): Promise<number> {
  const { problem } = await reportSandbox();
  if (problem !== null) {
    console.error(`escape: there is no sandbox to escape from: ${problem}`);
    return 1;
  }
  const isRoot = process.getuid?.() === 0;
  const users = isRoot ? { root: {}, user: { uid: nobody, gid: nobody } } : { user: {} };
  if (!isRoot) console.log("escape: not running as root: attempts as root are skipped\n");
  const columns = Object.entries(users).map(([user, options]) => {
    const words = [...process.execArgv, import.meta.filename, "--as-child"];
    const { stdout, status } = spawnSync(process.execPath, words, {
      ...options,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) throw new Error(`the attempts as ${user} ended with code ${status}`);
    const outcomes: readonly boolean[] = JSON.parse(stdout);
    return { user, outcomes };
  });
  return printTable(columns);
}

async function runAll(): Promise<number> {
  const outcomes: boolean[] = [];
  for (const { attempt } of attacks) outcomes.push(await withField(attempt));
  console.log(JSON.stringify(outcomes));
  return 0;
}

function printTable(columns: readonly { user: string; outcomes: readonly boolean[] }[]): number {
  const width = Math.max(...attacks.map(({ name }) => name.length));
  const line = (name: string, cells: readonly string[]): void =>
    console.log(`| ${name.padEnd(width)} | ${cells.map((cell) => cell.padEnd(11)).join(" | ")} |`);
  line(
    "a command tries to",
    columns.map(({ user }) => `as ${user}`),
  );
  line(
    "-".repeat(width),
    columns.map(() => "-".repeat(11)),
  );
  let escapes = 0;
  for (const [index, { name, isBlocked }] of attacks.entries()) {
    const succeeded = columns.map(({ outcomes }) => outcomes[index] === true);
    line(
      name,
      succeeded.map((escaped) => (!escaped ? "blocked" : isBlocked ? "ESCAPED" : "not blocked")),
    );
    if (isBlocked) escapes += succeeded.filter(Boolean).length;
  }
  const meant = attacks.filter(({ isBlocked }) => isBlocked).length;
  console.log(`\n${meant} attempts are meant to be blocked; ${escapes} escaped.`);
  return escapes === 0 ? 0 : 1;
}
