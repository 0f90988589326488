import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { terminalCall } from "../../src/cli/terminal-call.ts";
import { sourceProgram } from "../support/program.ts";
import { openCli, openEmbedded, startCommand } from "./test-cli.ts";

const manifest: { version: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
);

test("the terminal client starts without a command, and takes the model and the agent", () => {
  const usual = { isContinued: false, isPlain: false, agent: null, model: null };
  assert.deepEqual(terminalCall([]), usual);
  assert.deepEqual(terminalCall(["--agent", "claude"]), { ...usual, agent: "claude" });
  assert.deepEqual(terminalCall(["-m", "local/a=b"]), { ...usual, model: "local/a=b" });
  const all = { isContinued: true, isPlain: true, agent: "codex", model: "local/test" };
  const words = ["-c", "--agent=codex", "--screen-reader", "--model=local/test"];
  assert.deepEqual(terminalCall(words), all);
  for (const words of [
    ["-a"],
    ["-a", "-c"],
    ["--agent="],
    ["-m"],
    ["--continue=x"],
    ["run"],
    ["--agent", "claude", "run"],
  ]) {
    assert.equal(terminalCall(words), null, words.join(" "));
  }
});

test("help lists every command, examples and exit codes", async (t) => {
  const cli = openCli(t);
  const [help, run, version] = await Promise.all([
    cli.run("help"),
    cli.run("help", "run"),
    cli.run("--version"),
  ]);
  assert.deepEqual([help.end, help.err, run.end, run.err], [0, "", 0, ""]);
  for (const word of [
    "run ",
    "sessions ",
    "show ",
    "undo ",
    "export ",
    "import ",
    "attach ",
    "acp ",
    "cancel ",
    "queue ",
    "serve ",
    "server ",
    "store ",
    "prompts ",
    "models ",
    "doctor ",
    "completion ",
    "Examples:",
    "Exit codes: 0",
  ]) {
    assert.ok(help.out.includes(word), word);
  }
  for (const word of ["--session <id>", "--delivery <kind>", "--timeout <time>", cli.folder]) {
    assert.ok(run.out.replaceAll(/\s+/g, " ").includes(word), word);
  }
  assert.deepEqual(version, { end: 0, out: `${manifest.version}\n`, err: "" });
});

const hint = (words: string): string => `; run: holdfast ${words} --help\n`;

test("without a command and without a terminal, the help goes to stderr and the exit code is 2", async (t) => {
  const cli = openCli(t);
  const { end, out, err } = await cli.run();
  assert.deepEqual({ end, out }, { end: 2, out: "" });
  assert.match(err, /^Usage: holdfast/);
});

test("a usage error prints one line with a code and advice, and exits with 2", async (t) => {
  const cli = openCli(t);
  const cases: [words: string[], end: number, err: string][] = [
    [["run"], 2, "holdfast: prompt: the prompt is empty; write a task for the agent\n"],
    [["run", "--bogus", "x"], 2, `holdfast: usage: unknown option '--bogus'${hint("run")}`],
    [
      ["doctr"],
      2,
      "holdfast: usage: unknown command 'doctr' (Did you mean doctor?); run: holdfast help\n",
    ],
    [
      ["sessions", "rename"],
      2,
      `holdfast: usage: missing required argument 'title'${hint("sessions rename")}`,
    ],
    [
      ["run", "--timeout", "5", "x"],
      2,
      `holdfast: usage: option '--timeout <time>' argument '5' is invalid. Write a time like 500ms, 30s or 5m${hint("run")}`,
    ],
    [
      ["run", "--prompt-id", "a b", "x"],
      2,
      `holdfast: usage: option '--prompt-id <id>' argument 'a b' is invalid. It must be 1 to 200 characters from letters, digits and . _ : @ + = ~ -${hint("run")}`,
    ],
    [
      ["serve", "--max-runs", "0"],
      2,
      `holdfast: usage: option '--max-runs <number>' argument '0' is invalid. The value must be a number from 1 to 99999${hint("serve")}`,
    ],
    [
      ["run", "--directory", "none", "x"],
      2,
      `holdfast: directory: ${cli.folder}/none is not a folder; name an existing one\n`,
    ],
    [
      ["prompts"],
      1,
      `holdfast: storeInvalid: there is no store at ${cli.store} yet; create one with \`holdfast run\`, or name another with --store\n`,
    ],
  ];
  const ended = await Promise.all(cases.map(([words]) => cli.run(...words)));
  assert.deepEqual(
    ended,
    cases.map(([, end, err]) => ({ end, out: "", err })),
  );
});

test("help prints the page of a command at any depth, and names an unknown command", async (t) => {
  const cli = openCli(t);
  const [below, inside, unknown] = await Promise.all([
    cli.run("help", "server", "token", "create"),
    cli.run("server", "help", "token", "create"),
    cli.run("help", "server", "tokn"),
  ]);
  for (const { end, out } of [below, inside]) {
    assert.equal(end, 0);
    assert.match(out, /^Usage: holdfast server token create /);
  }
  const err = "holdfast: usage: unknown command 'tokn'; run: holdfast help\n";
  assert.deepEqual(unknown, { end: 2, out: "", err });
});

test("a subcommand without its group is answered with the whole command", async (t) => {
  const cli = openCli(t);
  const [status, help] = await Promise.all([cli.run("status"), cli.run("server", "-h")]);
  const err = "holdfast: usage: unknown command 'status'; run: holdfast server status\n";
  assert.deepEqual(status, { end: 2, out: "", err });
  assert.deepEqual([help.end, /^ {2}status .*/m.test(help.out)], [0, true]);
});

test("an unknown session prints one line, for run and for prompts", async (t) => {
  const cli = openEmbedded(t);
  const run = await cli.run("run", "--session", "nope", "say hi");
  const prompts = await cli.run("prompts", "--session", "nope");
  const start = `holdfast: unknownSession: there is no session nope in ${cli.store}; `;
  assert.deepEqual(
    [run, prompts],
    [
      {
        end: 1,
        out: "",
        err: `${start}omit --session to start a new one; \`holdfast sessions\` lists all\n`,
      },
      { end: 1, out: "", err: `${start}\`holdfast sessions\` lists all\n` },
    ],
  );
});

/** Runs the launcher as if Node had another version. */
function asVersion(version: string): string[] {
  const pretend = `
    Object.defineProperty(process.versions, "node", { value: "${version}" });
    Object.defineProperty(process, "version", { value: "v${version}" });
    process.argv.push("holdfast", "--version");
    await import(${JSON.stringify(sourceProgram)});`;
  return ["--input-type=module", "--eval", pretend];
}

test("an older Node starts the bundled newer Node, and a very old Node prints the required version", async (t) => {
  const { folder } = openCli(t);
  const old = await startCommand(asVersion("18.0.0"), { folder }).ended;
  assert.deepEqual(old, {
    end: 1,
    out: "",
    err: "holdfast: oldNode: Holdfast needs Node 24 or later, and this is Node v18.0.0; install Node 24, or run npm install if this is a clone\n",
  });
  if (process.platform !== "linux") return;
  const older = await startCommand(asVersion("20.0.0"), { folder }).ended;
  assert.deepEqual([older.end, older.out], [0, `${manifest.version}\n`]);
});
