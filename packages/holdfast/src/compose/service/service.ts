import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../base/package.ts";
import { writePrivateFile } from "../../base/private-file.ts";
import { SetupError } from "../../server/setup-error.ts";
import { dataFolder } from "../stores.ts";
import { agentLabel, launchdAgent, marker, systemdUnit, unitName } from "./unit-text.ts";
import type { ServiceCommand } from "./unit-text.ts";

export interface ServicePlace {
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Default: the operating system of this machine. */
  readonly platform?: NodeJS.Platform;
}

export interface ServiceChange {
  readonly file: string;
  /** Commands that could not be run, with the reason. Empty: all were run. */
  readonly left: readonly { readonly command: string; readonly problem: string }[];
}

/**
 * Installs a service that starts the server at login. `isStarted`: also start it now. API keys in the environment are
 * not written to the file.
 */
export async function installService(
  place: ServicePlace,
  { isStarted }: { isStarted: boolean },
): Promise<ServiceChange> {
  const manager = managerOf(place);
  const { environment, home } = place;
  const folder = dataFolder(environment, home);
  const command: ServiceCommand = {
    node: process.execPath,
    program: join(packageFolder(), "bin", "holdfast.js"),
    dataFolder: folder,
    path: environment["PATH"] ?? "",
    log: join(folder, "service.log"),
  };
  for (const text of Object.values(command)) expectOneLine(text);
  await expectOwn(manager.file);
  await writePrivateFile(manager.file, manager.text(command));
  return { file: manager.file, left: await runAll(manager.install(isStarted), place) };
}

/** Stops the service and removes its file. Returns null if it is not installed. */
export async function uninstallService(place: ServicePlace): Promise<ServiceChange | null> {
  const manager = managerOf(place);
  if ((await expectOwn(manager.file)) === null) return null;
  const stopped = await runAll(manager.stop, place);
  await rm(manager.file);
  return { file: manager.file, left: [...stopped, ...(await runAll(manager.forget, place))] };
}

interface Manager {
  readonly file: string;
  readonly text: (command: ServiceCommand) => string;
  readonly install: (isStarted: boolean) => readonly Words[];
  readonly stop: readonly Words[];
  /** Commands to run after the service file was removed. */
  readonly forget: readonly Words[];
}

type Words = readonly [program: string, ...words: string[]];

function managerOf({ environment, home, platform = process.platform }: ServicePlace): Manager {
  if (platform === "linux") {
    const config = environment["XDG_CONFIG_HOME"] ?? "";
    const folder = join(config === "" ? join(home, ".config") : config, "systemd", "user");
    return {
      file: join(folder, unitName),
      text: systemdUnit,
      install: (isStarted) => [
        systemctl("daemon-reload"),
        systemctl("enable", ...(isStarted ? ["--now"] : []), unitName),
      ],
      stop: [systemctl("disable", "--now", unitName)],
      forget: [systemctl("daemon-reload")],
    };
  }
  if (platform === "darwin") {
    const file = join(home, "Library", "LaunchAgents", `${agentLabel}.plist`);
    const domain = `gui/${process.getuid?.() ?? 0}`;
    return {
      file,
      text: launchdAgent,
      // If `isStarted` is false, no command is needed: launchd finds the file at the next login and starts the server.
      install: (isStarted) => (isStarted ? [["launchctl", "bootstrap", domain, file]] : []),
      stop: [["launchctl", "bootout", `${domain}/${agentLabel}`]],
      forget: [],
    };
  }
  const advice = "start `holdfast serve` with the service manager of this system";
  throw new SetupError("service", `services are supported on Linux and macOS; ${advice}`);
}

function systemctl(...words: string[]): Words {
  return ["systemctl", "--user", ...words];
}

/** Returns the text of the service file; null if there is none. Throws if Holdfast did not write the file. */
async function expectOwn(file: string): Promise<string | null> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null || text.includes(marker)) return text;
  const advice = "rename it, or remove it yourself";
  throw new SetupError("service", `${file} was not written by Holdfast; ${advice}`);
}

function expectOneLine(text: string): void {
  // oxlint-disable-next-line no-control-regex -- a control character would end the line of a unit
  if (!/[\0-\u001F]/.test(text)) return;
  throw new SetupError(
    "service",
    `a path has a line break or control character: ${JSON.stringify(text)}; rename it`,
  );
}

async function runAll(
  commands: readonly Words[],
  { environment }: ServicePlace,
): Promise<ServiceChange["left"]> {
  const left: { command: string; problem: string }[] = [];
  for (const words of commands) {
    const problem = await run(words, environment);
    if (problem !== null) left.push({ command: words.join(" "), problem });
  }
  return left;
}

/** Runs a command. Returns the reason if it failed, otherwise null. */
function run([program, ...words]: Words, env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, words, { env, timeout: 60_000 }, (error, _out, stderr) => {
      const said = stderr.trim().split("\n").at(-1) ?? "";
      resolve(error === null ? null : said === "" ? error.message : said);
    });
  });
}
