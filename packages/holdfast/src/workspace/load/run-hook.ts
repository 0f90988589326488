import { existsSync } from "node:fs";
import { commandEnvironment } from "../../agent/tools/environment.ts";
import { startKeeper } from "../../agent/tools/keeper.ts";
import { createMark } from "../../agent/tools/owner-mark.ts";
import { createProcessMark } from "../../agent/tools/process-mark.ts";
import { keepOutput } from "../../agent/tools/output-keeper.ts";
import { runCommand } from "../../agent/tools/run-command.ts";
import type { CommandEnd } from "../../agent/tools/run-command.ts";
import type { HookConfig } from "../config/config.ts";

export interface HookRequest {
  readonly hook: HookConfig;
  /** Text for the hook's standard input. */
  readonly input: string;
  readonly directory: string;
  /** Environment variables of the hook, in addition to the harmless ones that every command receives. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly variables: readonly string[];
  readonly signal: AbortSignal;
  readonly id: string;
}

export interface HookEnd {
  /** The problem, such as "exited with code 1". Null on success. */
  readonly problem: string | null;
  readonly output: string;
}

const maxOutput = 8_000;
const killAfter = 1_000;

/**
 * Runs a hook until it exits or times out, or the run stops. A helper shell kills the hook's processes if this process
 * ends first.
 */
export async function runHook(request: HookRequest): Promise<HookEnd> {
  const { hook, input, directory, signal, id } = request;
  const output = keepOutput({ maxBytes: maxOutput, progress: () => {} });
  const mark = createProcessMark();
  const owner = await createMark();
  const keeper = startKeeper(`${owner.name}=${owner.value}`);
  try {
    const end = await runCommand({
      command: [...shell(), "-c", `${mark.script}\n${hook.command}`],
      directory,
      environment: {
        ...commandEnvironment(request.environment, request.variables),
        HOLDFAST_HOOK: id,
        [owner.name]: owner.value,
      },
      signal,
      timeout: hook.timeout,
      killAfter,
      isOurs: mark.isOurs,
      onStart: (group) => keeper.follow(group),
      onOutput: (chunk) => output.add(chunk),
      input,
    });
    return { problem: problemOf(end, hook.timeout), output: output.result().text.trim() };
  } finally {
    keeper.end();
  }
}

/**
 * Returns the shell command for hooks. If stdin is a socket, bash assumes a remote login and reads its start-up file;
 * `--norc` prevents this.
 */
function shell(): readonly string[] {
  return existsSync("/bin/bash") ? ["/bin/bash", "--norc"] : ["/bin/sh"];
}

function problemOf(end: CommandEnd, timeout: number): string | null {
  switch (end.kind) {
    case "exited":
      if (end.code === 0) return null;
      return end.code === null ? `was killed by ${end.signal}` : `exited with code ${end.code}`;
    case "timeout":
      return `timed out after ${timeout} ms`;
    case "stopped":
      return "was stopped because the run was stopped";
    case "notStarted":
      return `could not be started: ${end.message}`;
  }
}
