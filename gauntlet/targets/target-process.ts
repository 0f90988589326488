import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";

/** A target's process with all its children, so that none survives the scenario. */
export interface TargetProcess {
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  readonly isOver: boolean;
  /** The latest stderr output. */
  lastWords(): string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Asks the process to end. Kills it after a short wait. */
  stop(): Promise<void>;
}

const graceMs = 3_000;
const running = new Set<number>();

/**
 * Kills a process when this one ends in any way; a negative id means a process group. Call the
 * returned function when the process has ended, because its id may be reused.
 */
export function endsWithUs(pid: number): () => void {
  watchOurEnd();
  running.add(pid);
  return () => void running.delete(pid);
}

/** Returns a function that kills all processes that were started since this call and have not ended. */
export function watchStarts(): () => void {
  const before = new Set(running);
  return () => {
    for (const pid of running) if (!before.has(pid)) kill(pid);
  };
}

let isWatching = false;
function watchOurEnd(): void {
  if (isWatching) return;
  isWatching = true;
  // Kill the processes of the tested program before other exit handlers remove the directories that these processes
  // use.
  process.prependListener("exit", () => {
    for (const pid of running) kill(pid);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Use `on`, not `once`: while a listener exists, a second signal cannot kill this process during the cleanup.
    process.on(signal, () => process.exit(130));
  }
}

export function startProcess(options: {
  command: readonly string[];
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
}): TargetProcess {
  const { command, directory, environment } = options;
  const [file = "", ...words] = command;
  // Start the process in its own process group, so that commands that ignore signals can be killed with it.
  const child = spawn(file, words, {
    cwd: directory,
    env: { PATH: process.env["PATH"], ...environment },
    stdio: "pipe",
    detached: true,
  });
  const pid = child.pid ?? 0;
  const release = pid > 0 ? endsWithUs(-pid) : null;
  let heard = "";
  let isOver = false;
  child.stderr.on("data", (data: Buffer) => (heard = (heard + data.toString()).slice(-2_000)));
  child.stdin.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    const over = (): void => {
      isOver = true;
      resolve();
    };
    child.once("error", (error: NodeJS.ErrnoException) => {
      heard += error.code === "ENOENT" ? `the program ${file} was not found` : error.message;
      over();
    });
    child.once("exit", over);
  });
  const killAll = async (): Promise<void> => {
    if (pid > 0) kill(-pid);
    release?.();
    await ended;
  };
  return {
    pid,
    child,
    ended,
    get isOver() {
      return isOver;
    },
    lastWords: () => heard.trim(),
    kill: killAll,
    stop: async () => {
      if (!isOver) child.kill("SIGTERM");
      const timer = setTimeout(() => kill(-pid), graceMs);
      await ended;
      clearTimeout(timer);
      await killAll();
    },
  };
}

/** Waits until a starting process prints the pattern. Returns the match. */
export function saidBy(
  started: TargetProcess,
  { on, pattern }: { on: "stdout" | "stderr"; pattern: RegExp },
): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    started.child[on].on("data", (data: Buffer) => {
      said = (said + data.toString()).slice(-1_000);
      const found = pattern.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    const giveUp = async (): Promise<void> => {
      await started.ended;
      reject(new Error(`it did not start: ${started.lastWords()}`));
    };
    void giveUp();
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
