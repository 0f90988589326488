import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { buildGauntlet } from "../../../../scripts/build/build-gauntlet.ts";

// The published gauntlet, installed from its tarball into an empty folder.

const root = join(import.meta.dirname, "../../../..");
const agent = join(import.meta.dirname, "acp-agent.ts");
const run = promisify(execFile);
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-gauntlet-"));
  const built = join(folder, "built");
  await buildGauntlet({ root, target: built });
  const { stdout } = await run("npm", ["pack", "./built", "--silent"], { cwd: folder });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  const quick = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...quick, `./${stdout.trim()}`], { cwd: folder });
  await rm(built, { recursive: true });
});

after(() => rm(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function gauntlet(...args: string[]): Promise<Ended> {
  const program = join(folder, "node_modules/.bin/holdfast-gauntlet");
  return new Promise((resolve) => {
    const done = (error: { code?: number | string | null } | null, out: string, err: string) =>
      resolve({ code: Number(error?.code ?? 0), out, err });
    execFile(process.execPath, [program, ...args], { cwd: folder }, done);
  });
}

function read(file: string): string {
  return readFileSync(join(folder, file), "utf8");
}

/** A scenario that fails without a wait if the agent answers with an error. */
const quick = ["--only", "cancel of an idle session"];
const scenario = ["--only", "cancel in mid-answer"];

test("the packed gauntlet runs a scenario against an agent and writes the results", async () => {
  const files = ["--json", "all.json", "--badge", "badge.svg", "--page", "page"];
  const command = ["--", "env", "MY_KEY=s3cret-value", process.execPath, agent];
  const { code, out, err } = await gauntlet(...scenario, ...files, ...command);
  assert.deepEqual([code, err], [0, ""]);
  assert.match(out, /passed +cancel in mid-answer/);
  assert.match(out, /acp: node acp-agent.ts: 1 passed, 0 failed/);
  const { reports }: { reports: { played: { verdict: object }[] }[] } = JSON.parse(
    read("all.json"),
  );
  assert.deepEqual(
    reports.map(({ played }) => played.map(({ verdict }) => verdict)),
    [[{ status: "passed" }]],
  );
  assert.match(read("badge.svg"), /^<svg .*gauntlet: 1 passed \(acp: node acp-agent.ts, /);
  assert.equal(read("page/badge.svg"), read("badge.svg"));
  assert.match(read("page/index.html"), /<img src="badge.svg"/);
  for (const file of ["all.json", "page/index.html", "page/gauntlet.json"]) {
    assert.ok(read(file).includes("MY_KEY=***"), file);
    assert.ok(!read(file).includes("s3cret-value"), file);
  }
  const merged = await gauntlet("--from", "all.json", "--html", "merged.html");
  assert.equal(merged.code, 0);
  assert.match(read("merged.html"), /cancel in mid-answer/);
});

test("the packed gauntlet says why an agent cannot be tested", async () => {
  const [missing, closed, silent, wrong, several] = await Promise.all([
    gauntlet(...quick, "--", "no-such-agent", "--acp"),
    gauntlet(...quick, "--", process.execPath, agent, "closed"),
    gauntlet(...quick, "--", process.execPath, agent, "offline"),
    gauntlet("--badge", "no/such/badge.svg", "--", "my-agent"),
    gauntlet("--badge", "badge.svg", "--target", "acp,codex", "--", "no-such-agent"),
  ]);
  assert.deepEqual(
    [missing, closed, silent, wrong, several].map(({ code }) => code),
    [2, 2, 2, 2, 2],
  );
  assert.match(missing.err, /does not start: .*the program no-such-agent was not found/);
  assert.match(closed.err, /the agent wants a sign-in: Authentication required. Give it any key/);
  assert.match(silent.err, /was started, but sent no request to the model server. Give the agent/);
  assert.match(wrong.err, /the folder no\/such does not exist. Create it first/);
  assert.match(several.err, /^gauntlet: --badge needs the results of exactly one target/);
});

test("the packed gauntlet has no dependencies and contains its help", async () => {
  const installed = join(folder, "node_modules/holdfast-gauntlet");
  const imports = globSync("**/*.js", { cwd: installed }).flatMap((file) => [
    ...readFileSync(join(installed, file), "utf8").matchAll(/\bfrom "(?<name>[^".][^"]*)"/g),
  ]);
  assert.ok(imports.length > 20);
  const foreign = imports.filter(({ groups }) => !groups?.["name"]?.startsWith("node:"));
  assert.deepEqual(
    foreign.map(([text]) => text),
    [],
  );
  assert.ok(existsSync(join(installed, "README.md")));
  const [help, none] = await Promise.all([gauntlet("--help"), gauntlet()]);
  assert.match(help.out, /^Usage: npx holdfast-gauntlet \[options\] -- COMMAND/);
  assert.match(none.err, /the start command of the agent is missing. Add it after --/);
});
