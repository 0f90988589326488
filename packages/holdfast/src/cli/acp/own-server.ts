import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { folderProblem, makeFolder } from "../../base/folders.ts";
import { withTimeout } from "../../base/time.ts";
import { dataFolder } from "../../compose/stores.ts";
import { CliError } from "../cli-error.ts";

/** Milliseconds that a server may take to start. */
const startTime = 30_000;

/**
 * Starts a server on the store that outlives this process, because others may use it too. Resolves
 * with the result of `find`, which may be a server that another process has started.
 */
export async function startServer<Found>(
  store: string,
  find: () => Promise<Found | null>,
): Promise<Found> {
  const folder = dataFolder(process.env, homedir());
  const log = join(folder, "serve.log");
  const output = await openLog(folder, log);
  const words = [...process.execArgv, process.argv[1] ?? "", "serve", "--store", store];
  const child = spawn(process.execPath, words, {
    cwd: homedir(),
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
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    // A server that finds another one on its store ends at once; `find` returns the other one then.
    if (hasEnded || performance.now() - since > startTime) break;
    hasEnded = await withTimeout(ended, { milliseconds: 50, late: () => false });
  }
  const said = readFileSync(log, "utf8").trim().split("\n").at(-1) ?? "";
  const why =
    said === "" ? `it printed no error; see its log ${log}` : said.replace(/^holdfast: /, "");
  throw notStarted("serverStart", why);
}

async function openLog(folder: string, log: string): Promise<number> {
  try {
    await makeFolder(folder, 0o700);
    return openSync(log, "w", 0o600);
  } catch (error) {
    const advice = "set XDG_DATA_HOME to a folder that you can write to";
    const why = `${log} cannot be written: ${folderProblem(error)}; ${advice}`;
    throw notStarted("unusableFolder", why);
  }
}

function notStarted(code: string, why: string): CliError {
  return new CliError(code, `no server is running, and none could be started: ${why}`);
}
