import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { createBubblewrap, maxProcesses } from "./bubblewrap.ts";
import type { BubblewrapOptions } from "./bubblewrap.ts";
import { inputPipes, sendInputs } from "./command-inputs.ts";
import type { Sandbox } from "./sandbox.ts";

/** The machine's sandbox, or the reason why commands run without one. */
export type SandboxReport =
  | { readonly sandbox: Sandbox; readonly problem: null }
  | { readonly sandbox: null; readonly problem: string };

let report: Promise<SandboxReport> | null = null;

/** Looks for a sandbox and tries it, once: it may be installed and still not be permitted to work. */
export function reportSandbox(): Promise<SandboxReport> {
  report ??= lookForSandbox();
  return report;
}

/** The machine's sandbox; null if it has none that works. */
export async function findSandbox(): Promise<Sandbox | null> {
  return (await reportSandbox()).sandbox;
}

async function lookForSandbox(): Promise<SandboxReport> {
  if (process.platform !== "linux") {
    return { sandbox: null, problem: "commands run in a sandbox on Linux only" };
  }
  const program = findProgram("bwrap");
  if (program === null) {
    return {
      sandbox: null,
      problem: "bubblewrap is not installed (Debian: apt install bubblewrap)",
    };
  }
  const options = { program, cgroup: processCgroup() };
  const current = await attempt({ ...options, disablesUserNamespaces: true });
  if (current.problem === null) return current;
  // The seccomp filter forbids the same, so an older version is good enough.
  return attempt({ ...options, disablesUserNamespaces: false });
}

async function attempt(options: BubblewrapOptions): Promise<SandboxReport> {
  const sandbox = createBubblewrap(options);
  const problem = await problemOf(sandbox);
  return problem === null
    ? { sandbox, problem }
    : { sandbox: null, problem: `bubblewrap does not work: ${problem}` };
}

/** The first absolute place in PATH: a relative one would depend on the directory. */
function findProgram(name: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function problemOf(sandbox: Sandbox): Promise<string | null> {
  const { command, inputs, status } = sandbox.wrap({
    command: ["/bin/sh", "-c", "exit 0"],
    directory: "/",
    writable: [],
    pinned: [],
    readOnly: [],
    hidden: [],
    network: false,
  });
  const [program = "", ...words] = command;
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      stdio: ["ignore", "ignore", "pipe", ...inputPipes({ inputs, status })],
    });
    sendInputs(child, inputs);
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    // Not spawn's own time limit: that goes on if there is no such program.
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    const settle = (problem: string | null): void => {
      clearTimeout(timer);
      resolve(problem);
    };
    child.once("error", (error) => settle(error.message));
    child.once("close", (code) => {
      const [line = ""] = said.trim().split("\n");
      settle(code === 0 ? null : line.replace(/^bwrap: /, "") || "it ended without a message");
    });
  });
}

/** Where the controller for processes is mounted: cgroup v2, then v1. Each has a file of this name. */
const mounts = [
  ["/sys/fs/cgroup", "cgroup.controllers"],
  ["/sys/fs/cgroup/pids", "cgroup.procs"],
] as const;

/**
 * A cgroup that limits the processes of all commands together, for a server that runs as root: the limit
 * of `ulimit` does not hold for root. Returns its `cgroup.procs` file; null if there can be none, which is
 * usual in containers, where the container's own limit counts.
 */
function processCgroup(): string | null {
  if (process.getuid?.() !== 0) return null;
  for (const [mount, proof] of mounts) {
    if (!existsSync(join(mount, proof))) continue;
    const folder = join(mount, "holdfast");
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "pids.max"), String(maxProcesses));
      return join(folder, "cgroup.procs");
    } catch {
      // Read-only, or without this controller.
    }
  }
  return null;
}
