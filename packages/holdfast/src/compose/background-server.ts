import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { folderProblem, makeFolder } from "../base/folders.ts";
import { packageFolder } from "../base/package.ts";
import { sleep, withTimeout } from "../base/time.ts";
import { discoveryFile, isPrivateFolder, readDiscovery } from "../server/discovery.ts";
import { keepPrivateFolder } from "../server/security/token-file.ts";
import { SetupError } from "../server/setup-error.ts";
import { hungServerProblem } from "./hung-server.ts";
import { dataFolder } from "./stores.ts";

/** Milliseconds that a server may take to start. */
const startTime = 30_000;
/** Milliseconds between two checks for the server. */
const checkEvery = 20;
/** A log file of this size in bytes is renamed at the next start. */
const largeLog = 5 * 1024 * 1024;

/** Time without work and clients after which a background server stops. */
export const idleTime = "15m";

export interface BackgroundPlace {
  readonly store: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

/** Returns the log file of a store's background server. */
function logFileOf({ store, environment, home }: BackgroundPlace): string {
  const file = discoveryFile({ store, dataFolder: dataFolder(environment, home) });
  return file.replace(/\.json$/, ".log");
}

/**
 * Starts the server of a store as a separate process that keeps running after this process ends. Only one process at
 * a time starts a server; the others wait for that server. Resolves with the result of `find`.
 */
export async function startInBackground<Found>(
  place: BackgroundPlace,
  find: () => Promise<Found | null>,
): Promise<Found> {
  const { store, environment, home } = place;
  const folder = dataFolder(environment, home);
  await orNotStarted(folder, async () => {
    await makeFolder(folder, 0o700);
    keepPrivateFolder(folder);
    // A user who can write to this folder could announce a hostile server.
    if (!isPrivateFolder(folder)) throw notPrivate(folder);
  });
  const lockFile = `${discoveryFile({ store, dataFolder: folder })}-lock`;
  const { takeLock } = await import("../store/sqlite/owner-lock.ts");
  for (const since = performance.now(); ;) {
    const lock = takeLock(lockFile);
    if (lock !== null) {
      try {
        return (await find()) ?? (await start(place, find));
      } finally {
        lock.release();
      }
    }
    const found = await find();
    if (found !== null) return found;
    if (performance.now() - since > startTime) throw notStarted("another process is starting it");
    await sleep(checkEvery);
  }
}

/**
 * Options of Node for a server that is idle most of the time. They disable V8's two optimizing compilers, which stay in
 * memory after their first use. This saves 8 MB at rest and 17 MB after 1,600 prompts. It costs no processor time up to
 * 400 prompts; after 1,600 prompts, a prompt of the demo agent took 2 to 3 ms more on a busy machine. One helper thread
 * of V8 instead of four saves 1 MB. Dropping the machine code of functions that have not run recently saves 1.4 MB.
 */
const smallProcess = ["--no-opt", "--no-maglev", "--v8-pool-size=1", "--flush-baseline-code"];

async function start<Found>(
  place: BackgroundPlace,
  find: () => Promise<Found | null>,
): Promise<Found> {
  const { store, environment, home } = place;
  const folder = dataFolder(environment, home);
  const log = logFileOf(place);
  const output = await orNotStarted(log, async () => openLog(log));
  const from = fstatSync(output).size;
  const options = ["--data", folder, "--stop-when-idle", idleTime];
  const program = join(packageFolder(), "bin", "holdfast.js");
  const words = [...process.execArgv, ...smallProcess, program, "serve", ...options];
  const child = spawn(process.execPath, words, {
    cwd: folder,
    // Pass the address in the environment, because it may contain a password and every user can read command lines.
    env: { ...environment, HOLDFAST_STORE: store },
    detached: true,
    stdio: ["ignore", "ignore", output],
  });
  closeSync(output);
  child.unref();
  const ended = once(child, "exit").then(
    () => true,
    () => true,
  );
  const since = performance.now();
  let hasEnded = false;
  while (!hasEnded && performance.now() - since <= startTime) {
    // A server that hangs delays `find`, so do not wait for it after the new server has ended.
    const found = await Promise.race([find(), ended.then(() => null)]);
    if (found !== null) return found;
    hasEnded = await withTimeout(ended, { milliseconds: checkEvery, late: () => false });
  }
  // If another server already uses the store, the new server ends immediately, and `find` returns the other server.
  const other = hasEnded ? await find() : null;
  if (other !== null) return other;
  const file = discoveryFile({ store, dataFolder: folder });
  const isOther = !hasEnded && readDiscovery(file)?.pid !== child.pid;
  const problem = isOther ? await hungServerProblem(file) : null;
  // As long as the other server hangs, the new one cannot start. Otherwise let it start: it may only be slow.
  if (problem !== null) child.kill();
  throw notStarted(problem ?? reasonIn(readFileSync(log).subarray(from).toString(), log));
}

/** Returns the last line of the log, which is the error with which the server ended. */
function reasonIn(text: string, log: string): string {
  const last = text.trim().split("\n").at(-1) ?? "";
  const isError = last.startsWith("holdfast: ");
  return isError ? last.replace(/^holdfast: (?:\w+: )?/, "") : `see its log ${log}`;
}

function openLog(log: string): number {
  const output = openSync(log, "a", 0o600);
  if (fstatSync(output).size < largeLog) return output;
  closeSync(output);
  renameSync(log, `${log}.1`);
  return openSync(log, "a", 0o600);
}

async function orNotStarted<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SetupError) throw error;
    const advice = "set XDG_DATA_HOME to a folder that you can write to";
    throw notStarted(`${path} cannot be written: ${folderProblem(error)}; ${advice}`);
  }
}

function notPrivate(folder: string): SetupError {
  const advice = `run: chmod 700 ${folder}`;
  return new SetupError("unsafeFile", `other users can write to the folder ${folder}; ${advice}`);
}

function notStarted(why: string): SetupError {
  return new SetupError("serverStart", `the background server could not start: ${why}`);
}
