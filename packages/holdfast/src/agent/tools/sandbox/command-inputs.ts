import type { ChildProcess, StdioPipe } from "node:child_process";
import { openSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { SandboxedCommand } from "./sandbox.ts";

type Descriptors = Pick<SandboxedCommand, "inputs" | "status">;

let nullDevice: number | null = null;

/** Returns the entries of spawn's `stdio` option for file descriptors 3 and up. */
export function inputPipes({ inputs, status }: Descriptors): (StdioPipe | number)[] {
  const pipes = inputs.map(({ length }) => {
    if (length > 0) return "pipe";
    nullDevice ??= openSync("/dev/null", "r");
    return nullDevice;
  });
  return status === null ? pipes : [...pipes, "pipe"];
}

/** Writes the content to the descriptors of a process that was started with `inputPipes`. */
export function sendInputs({ stdio }: ChildProcess, inputs: readonly Uint8Array[]): void {
  for (const [index, content] of inputs.entries()) {
    const pipe = stdio.at(3 + index);
    if (!(pipe instanceof Writable)) continue;
    // Ignore the error: a process that has not started or has ended reads nothing.
    pipe.on("error", () => {});
    pipe.end(content);
  }
}

/** Returns the pid of the first process in a sandbox, which the sandbox reports. Null if the process never started. */
export async function readFirstProcess(
  { stdio }: ChildProcess,
  status: number,
): Promise<number | null> {
  const pipe = stdio.at(status);
  if (!(pipe instanceof Readable)) return null;
  const written = await text(pipe).catch(() => "");
  const [, pid] = /"child-pid": (\d+)/.exec(written) ?? [];
  return pid === undefined ? null : Number(pid);
}
