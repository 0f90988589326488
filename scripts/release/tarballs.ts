import { execFile } from "node:child_process";
import type { ExecFileException } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildGauntlet } from "../build/build-gauntlet.ts";
import { ensurePackage } from "../build/ensure-package.ts";
import { ReleaseError } from "./release-error.ts";

/** Builds the packages and packs each one. Returns the paths of the tarballs. The SDK is the first of them. */
export async function buildTarballs(options: {
  root: string;
  folder: string;
  say: (line: string) => void;
}): Promise<readonly string[]> {
  const { root, folder, say } = options;
  const holdfast = join(dirname(await ensurePackage(root)), "..");
  const gauntlet = join(folder, "gauntlet");
  await buildGauntlet({ root, target: gauntlet });
  say("build: holdfast, @holdfast/sdk and holdfast-gauntlet");
  const tarballs: string[] = [];
  for (const built of [join(holdfast, "../@holdfast/sdk"), holdfast, gauntlet]) {
    const out = await run("npm", ["pack", "--silent", "--pack-destination", folder], built);
    tarballs.push(join(folder, out.trim()));
  }
  rmSync(gauntlet, { recursive: true });
  say(`pack: ${tarballs.map((path) => path.slice(folder.length + 1)).join(", ")}`);
  return tarballs;
}

/** Installs the tarballs into an empty folder and uses the command as a new user would. */
export async function tryTarballs(options: {
  tarballs: readonly string[];
  version: string;
  say: (line: string) => void;
}): Promise<void> {
  const { tarballs, version, say } = options;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-release-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...quiet, ...tarballs], folder);
    say("install: the tarballs into an empty folder");
    const command = join(folder, "node_modules/.bin/holdfast");
    const printed = (await run(command, ["--version"], folder)).trim();
    expectOutput({ command: "holdfast --version", found: printed, expected: version });
    const answer = (
      await run(command, ["run", "--embedded", "--agent", "demo", "say hello"], folder)
    ).trim();
    const expected = "[demo agent] hello";
    expectOutput({ command: 'holdfast run "say hello"', found: answer, expected });
    say("run: `holdfast --version` and one prompt with the demo agent");
    const gauntlet = join(folder, "node_modules/.bin/holdfast-gauntlet");
    const found = (await run(process.execPath, [gauntlet, "--version"], folder)).trim();
    expectOutput({ command: "holdfast-gauntlet --version", found, expected: version });
    say("run: `holdfast-gauntlet --version`");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function expectOutput(printed: { command: string; found: string; expected: string }): void {
  const { command, found, expected } = printed;
  if (found === expected) return;
  throw new ReleaseError(
    `the installed command printed "${found}" for \`${command}\`, not "${expected}". ` +
      `Fix the build (scripts/build) and run the release again.`,
  );
}

/** Environment variables that could connect a real model or select another store. The trial runs without them. */
const unwanted = /^(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE|OPENROUTER|OLLAMA|HOLDFAST|npm)_/;

function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !unwanted.test(name));
  const home = program === "npm" ? {} : homeIn(folder);
  const options = {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), ...home },
    timeout: 120_000,
  };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new ReleaseError(describe(error, `${stdout}${stderr}`)));
    });
  });
}

/** Environment variables that make the trial use its own folder instead of the user's data and config. */
function homeIn(folder: string): Record<string, string> {
  return {
    HOME: folder,
    XDG_DATA_HOME: join(folder, "data"),
    XDG_CONFIG_HOME: join(folder, "config"),
  };
}

function describe(error: ExecFileException, output: string): string {
  const how = error.killed === true ? "took more than 2 minutes" : `ended with ${error.code}`;
  return `\`${error.cmd}\` ${how}:\n${output}`;
}
