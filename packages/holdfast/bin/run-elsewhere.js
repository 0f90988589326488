import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Runs the command line under the Node 24 that npm installed in a parent folder, and passes on its exit
 * code. Returns false if there is no such Node.
 * @param {string[]} words
 */
export function runElsewhere(words) {
  const script = fileURLToPath(new URL("holdfast.js", import.meta.url));
  const node = findNode(dirname(script));
  if (node === null) return false;
  const options = ["--disable-warning=ExperimentalWarning", script, ...words];
  const child = start(node, options);
  if (child === null) return true;
  // One of these can be a pipe or a file at a terminal, as in `git diff | holdfast run -`.
  const isAtTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal also sends Ctrl-C to the child. A second signal would mean "stop at once".
      if (signal !== "SIGINT" || !isAtTerminal) child.kill(signal);
    });
  }
  child.once("error", (error) => printFailedStart(node, error));
  child.once("exit", (code, signal) => {
    if (signal !== null && signal !== "SIGINT")
      console.error(`holdfast: killed: ended by ${signal}; no prompt is lost`);
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
  return true;
}

/**
 * @param {string} node
 * @param {string[]} options
 */
function start(node, options) {
  try {
    return spawn(node, options, { stdio: "inherit" });
  } catch (error) {
    printFailedStart(node, error);
    return null;
  }
}

/**
 * @param {string} node
 * @param {unknown} error
 */
function printFailedStart(node, error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`holdfast: oldNode: ${node} does not start (${message}); run npm install`);
  process.exitCode = 1;
}

/**
 * @param {string} from
 * @returns {string | null}
 */
function findNode(from) {
  const name = `node-${process.platform}-${process.arch}`;
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name, "bin", "node");
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return null;
  }
}
