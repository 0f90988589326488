import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { expectStreams } from "../../../base/spawned.ts";
import { createBubblewrap, maxProcesses } from "./bubblewrap.ts";
import type { BubblewrapOptions } from "./bubblewrap.ts";
import { inputPipes, sendInputs } from "./command-inputs.ts";
import type { Sandbox } from "./sandbox.ts";

/** The sandbox of this machine, or the reason why commands run without one. */
export type SandboxReport =
  | { readonly sandbox: Sandbox; readonly problem: null }
  | { readonly sandbox: null; readonly problem: string };

let report: Promise<SandboxReport> | null = null;

/**
 * Finds and tests the sandbox. The result is cached. A sandbox may be installed but blocked by the system. Rejects if
 * no process can be started at all; the next call tests again.
 */
export function reportSandbox(): Promise<SandboxReport> {
  report ??= lookForSandbox().catch((error: unknown) => {
    report = null;
    throw error;
  });
  return report;
}

/** Returns the sandbox of this machine; null if none works. */
export async function findSandbox(): Promise<Sandbox | null> {
  return (await reportSandbox()).sandbox;
}

async function lookForSandbox(): Promise<SandboxReport> {
  if (process.platform !== "linux") {
    return { sandbox: null, problem: "the sandbox is only available on Linux" };
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
  // Try without `--disable-userns`: the seccomp filter blocks user namespaces too.
  return attempt({ ...options, disablesUserNamespaces: false });
}

async function attempt(options: BubblewrapOptions): Promise<SandboxReport> {
  const sandbox = createBubblewrap(options);
  const problem = await problemOf(sandbox);
  return problem === null
    ? { sandbox, problem }
    : { sandbox: null, problem: `bubblewrap does not work: ${problem}` };
}

/** Searches only absolute PATH entries, because relative ones depend on the current directory. */
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
    const child = expectStreams(
      spawn(program, words, {
        stdio: ["ignore", "ignore", "pipe", ...inputPipes({ inputs, status })],
      }),
    );
    sendInputs(child, inputs);
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    // Use a separate timer, because spawn's own timeout keeps running if the program does not exist.
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    const settle = (problem: string | null): void => {
      clearTimeout(timer);
      resolve(problem);
    };
    child.once("error", (error) => settle(error.message));
    child.once("close", (code) => {
      const [line = ""] = stderr.trim().split("\n");
      settle(code === 0 ? null : line.replace(/^bwrap: /, "") || "it ended without a message");
    });
  });
}

/**
 * Mount points of the cgroup controller for processes, for cgroup v2 and v1, each with a file that exists only if the
 * controller is mounted there.
 */
const mounts = [
  ["/sys/fs/cgroup", "cgroup.controllers"],
  ["/sys/fs/cgroup/pids", "cgroup.procs"],
] as const;

/**
 * Creates a cgroup that limits the number of processes of all commands together. Needed for a server that runs as root,
 * because `ulimit` does not limit root. Returns its `cgroup.procs` file; null if that is not possible, as in most
 * containers, whose own limit applies.
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
      // Ignore the error: the cgroup file system is mounted read-only, or it cannot limit the number of processes.
    }
  }
  return null;
}
