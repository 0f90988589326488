import { existsSync } from "node:fs";
import { commandEnvironment } from "../../agent/tools/environment.ts";
import { createProcessMark } from "../../agent/tools/process-mark.ts";
import { keepOutput } from "../../agent/tools/output-keeper.ts";
import { runCommand } from "../../agent/tools/run-command.ts";
import type { CommandEnd } from "../../agent/tools/run-command.ts";
import type { HookConfig } from "../config/config.ts";

export interface HookRequest {
  readonly hook: HookConfig;
  /** Its standard input. */
  readonly input: string;
  readonly directory: string;
  /** A hook gets the harmless part of it, as every command does, and these variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly variables: readonly string[];
  readonly signal: AbortSignal;
  readonly id: string;
}

export interface HookEnd {
  /** What it has done wrong, as in "exited with code 1"; null for nothing. */
  readonly problem: string | null;
  readonly output: string;
}

const maxOutput = 8_000;
const killAfter = 1_000;

/** Runs a hook to its end, or to that of its time or of the run. */
export async function runHook(request: HookRequest): Promise<HookEnd> {
  const { hook, input, directory, signal, id } = request;
  const output = keepOutput({ maxBytes: maxOutput, progress: () => {} });
  const mark = createProcessMark();
  const end = await runCommand({
    command: [...shell(), "-c", `${mark.script}\n${hook.command}`],
    directory,
    environment: {
      ...commandEnvironment(request.environment, request.variables),
      HOLDFAST_HOOK: id,
    },
    signal,
    timeout: hook.timeout,
    killAfter,
    isOurs: mark.isOurs,
    onOutput: (chunk) => output.add(chunk),
    input,
  });
  return { problem: problemOf(end, hook.timeout), output: output.result().text.trim() };
}

/** With a socket as its input, bash would take itself for a login from afar and read its start-up file. */
function shell(): readonly string[] {
  return existsSync("/bin/bash") ? ["/bin/bash", "--norc"] : ["/bin/sh"];
}

function problemOf(end: CommandEnd, timeout: number): string | null {
  switch (end.kind) {
    case "exited":
      if (end.code === 0) return null;
      return end.code === null ? `was ended by ${end.signal}` : `exited with code ${end.code}`;
    case "timeout":
      return `did not end within ${timeout} ms`;
    case "stopped":
      return "was stopped with the run";
    case "notStarted":
      return `could not be started: ${end.message}`;
  }
}
