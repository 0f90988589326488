import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { commandEnvironment } from "../agent/tools/environment.ts";

/**
 * Removes the variables that may contain keys from `/proc/PID/environ`; `process.env` keeps all variables. Linux shows
 * the environment with which a process was started to all processes of the same user, even if the process deletes a
 * variable later. A sandbox hides it from commands; this function is for machines without a sandbox.
 */
export function hideEnvironment(): void {
  if (process.platform !== "linux") return;
  const harmless = commandEnvironment(process.env);
  const isShown = (name: string): boolean =>
    Object.hasOwn(harmless, name) || name.startsWith("NODE_");
  const hidden = Object.entries(process.env).filter(([name]) => !isShown(name));
  // Setting a variable moves it to the heap, so that the memory it had at the start can be overwritten.
  for (const [name, value] of hidden) process.env[name] = value;
  try {
    eraseEntries(new Set(hidden.map(([name]) => name)));
  } catch (error) {
    // Without `/proc`, no process can read the environment.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    console.error(
      `holdfast: commands that run without a sandbox can read the environment variables of Holdfast, because ` +
        `/proc/self/mem cannot be written: ${String(error)}`,
    );
  }
}

/** Overwrites the entries of these variables in the memory that `/proc/self/environ` shows. */
function eraseEntries(names: ReadonlySet<string>): void {
  const start = environmentStart(readFileSync("/proc/self/stat", "latin1"));
  const entries = readFileSync("/proc/self/environ");
  const memory = openSync("/proc/self/mem", "r+");
  try {
    for (let at = 0; at < entries.length;) {
      const end = entries.indexOf(0, at);
      const entry = entries.subarray(at, end === -1 ? entries.length : end);
      const [name = ""] = entry.toString().split("=", 1);
      if (names.has(name)) writeSync(memory, Buffer.alloc(entry.length), 0, null, start + at);
      at += entry.length + 1;
    }
  } finally {
    closeSync(memory);
  }
}

/** Returns the address of the first environment entry, which is field 50 of `/proc/PID/stat`. */
function environmentStart(stat: string): number {
  // Field 2 is the program's name in parentheses, and it may contain spaces. Field 3 follows it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[50 - 3]);
}
