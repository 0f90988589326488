import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, InstallFailed } from "./install.mjs";
import { chooseNode } from "./node.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Runs a script under Node 24 and ends this process with the same exit code or signal.
 * @param {string[]} script the file to run, and its arguments
 */
export async function launch(script) {
  try {
    await ensureInstalled(root);
  } catch (error) {
    if (!(error instanceof InstallFailed)) throw error;
    console.error(`holdfast: ${error.message}`);
    process.exitCode = 1;
    return;
  }
  const node = chooseNode({ root, current: process });
  if ("problem" in node) {
    console.error(`holdfast: ${node.problem}`);
    process.exitCode = 1;
    return;
  }
  console.error(`holdfast: Node ${node.version}`);
  end(await run(node.path, script));
}

/**
 * @param {string} node
 * @param {string[]} script
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
function run(node, script) {
  // Tools that find Node through PATH (`#!/usr/bin/env node`) must use the same Node.
  const PATH = [dirname(node), process.env["PATH"]].filter(Boolean).join(delimiter);
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", ...script], {
    stdio: "inherit",
    env: { ...process.env, PATH },
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal also sends Ctrl-C to the child. A second signal would mean "stop at once".
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => done({ code, signal }));
  });
}

/** @param {{ code: number | null, signal: NodeJS.Signals | null }} result */
function end({ code, signal }) {
  process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}
