import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import { listen } from "../../src/server/listen.ts";
import { program } from "../support/program.ts";
import { openCli } from "./test-cli.ts";
import type { Serving, TestCli } from "./test-cli.ts";

// Completion waits up to 60 seconds for the server, so that the tests also pass on a busy machine.
const environment = { HOLDFAST_COMPLETION_PATIENCE: "60s" };
const done: (() => void)[] = [];
let cli: TestCli;
let server: Serving;
before(async () => {
  const provider = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: [{ id: "large" }, { id: "small" }] }));
  });
  const port = await listen(provider, { host: "127.0.0.1", port: 0 });
  done.push(() => provider.close());
  cli = openCli(
    { after: (work) => done.push(work) },
    { ...environment, HOLDFAST_BASE_URL: `http://127.0.0.1:${port}/v1` },
  );
  server = await cli.serve();
  const holdfast = connect({ url: server.url, token: server.token });
  const session = await holdfast.sessions.create({
    directory: cli.folder,
    sessionId: "fix-tests",
    title: "Fix",
  });
  await (await session.prompt("say one", { promptId: "first-try", agent: "demo" })).settled();
  await holdfast.sessions.create({ directory: cli.folder, sessionId: "fix-docs" });
});
after(() => done.forEach((work) => work()));

/** Words that complete the last word. */
async function completed(...words: string[]): Promise<string[]> {
  const { end, out, err } = await cli.run("complete", "--", ...words);
  assert.deepEqual([end, err], [0, ""]);
  return out
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "")
    .filter((word) => word !== "");
}

test("commands, subcommands, options and their choices are completed", async () => {
  const cases: [words: string[], found: string[]][] = [
    [["ser"], ["serve", "server", "service"]],
    [["server", "token", "re"], ["revoke"]],
    [
      ["prompts", "--status", ""],
      ["queued", "running", "settled"],
    ],
    [["completion", "f"], ["fish"]],
    [["run", "--del"], ["--delivery"]],
    // Options of the command above are accepted after the subcommand.
    [["queue", "move", "p-1", "--sess"], ["--session"]],
    [["import", ""], [":files"]],
    [["server", "reload", ""], [":directories"]],
    [["comple"], ["completion"]],
    [["--mod"], ["--model"]],
    [["prompts", "--status=q"], ["--status=queued"]],
    // Bash splits the word at the equals sign.
    [
      ["prompts", "--status", "=", ""],
      ["queued", "running", "settled"],
    ],
    [
      ["prompts", "--status", "="],
      ["queued", "running", "settled"],
    ],
    [["run", "--file=a"], [":files"]],
  ];
  const found = await Promise.all(cases.map(([words]) => completed(...words)));
  assert.deepEqual(
    found,
    cases.map(([, words]) => words),
  );
});

test("ids and names come from the running server", async () => {
  const [sessions, agents, narrow, described, prompts, models, assigned] = await Promise.all([
    completed("show", "fix"),
    completed("run", "--agent", ""),
    completed("sessions", "rename", "a title", "fix-t"),
    cli.run("complete", "--", "show", "fix-t"),
    completed("cancel", "fix-tests", "--prompt", "first"),
    completed("run", "--model", "loc"),
    completed("--model=loc"),
  ]);
  assert.deepEqual(prompts, ["first-try"]);
  assert.deepEqual(models, ["local/large", "local/small"]);
  assert.deepEqual(assigned, ["--model=local/large", "--model=local/small"]);
  assert.deepEqual(sessions.toSorted(), ["fix-docs", "fix-tests"]);
  assert.ok(agents.includes("default"), agents.join());
  assert.deepEqual(narrow, ["fix-tests"]);
  assert.equal(described.out, "fix-tests\tidle, Fix\n");
});

test("without a server, ids are not completed and no server is started", async (t) => {
  const alone = openCli(t);
  const { end, out } = await alone.run("complete", "--", "show", "");
  assert.deepEqual([end, out], [0, ""]);
  assert.ok(!existsSync(dirname(alone.store)), "nothing was created");
});

/** A script for a shell that sets up the completion and completes one line. */
const scripts = {
  bash: (line: string) => `
    eval "$(holdfast completion bash)"
    COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _holdfast; printf '%s\n' "\${COMPREPLY[@]}"`,
  // Stubs in place of zsh's completion system, which works only in an interactive shell.
  zsh: (line: string) => `
    compdef() { :; }
    _describe() { print -l -- "\${(@)\${(@P)2}%%:*}"; }
    eval "$(holdfast completion zsh)"
    words=(${line}); CURRENT=\${#words}; _holdfast`,
  fish: (line: string) => `
    holdfast completion fish | source
    complete -C "${line}" | string replace -r '\\t.*' ''`,
};

for (const [shell, script] of Object.entries(scripts)) {
  const isThere = spawnSync(shell, ["-c", "true"]).status === 0;
  test(`${shell} completes a session id`, { skip: isThere ? false : "not installed" }, () => {
    const define =
      shell === "fish"
        ? 'function holdfast; "$NODE" "$PROGRAM" $argv; end'
        : 'holdfast() { "$NODE" "$PROGRAM" "$@"; }';
    const { stdout, stderr } = spawnSync(
      shell,
      ["-c", `${define}\n${script("holdfast show fix-d")}`],
      {
        encoding: "utf8",
        cwd: cli.folder,
        env: {
          ...process.env,
          ...environment,
          NODE: process.execPath,
          PROGRAM: program,
          HOME: cli.folder,
          XDG_DATA_HOME: join(cli.folder, "data"),
        },
      },
    );
    assert.deepEqual(stdout.trim().split("\n"), ["fix-docs"], stderr);
  });
}
