import { randomUUID } from "node:crypto";
import { readlink } from "node:fs/promises";
import { kill, processesWith, startOf } from "../tools/processes.ts";
/** What nothing runs without, and none of it a secret. */
const passedOn = new Set([
  "HOME",
  "LANG",
  "LANGUAGE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TMPDIR",
  "TZ",
  "USER",
]);

/** What a server's process gets to see: little of this program's environment, and what it is given. */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passedOn.has(entry[0]) || entry[0].startsWith("LC_")),
  );
  return { ...Object.fromEntries(kept), TERM: "dumb", NO_COLOR: "1", ...given };
}

/**
 * A variable by which all processes of a server are known, also those that left its group, and the
 * program that they belong to: `HOLDFAST_MCP=<process namespace>/<pid>/<start>/<server>`.
 */
export async function createMark(): Promise<{ readonly name: string; readonly value: string }> {
  swept ??= endAbandoned();
  await swept;
  const value = [await namespace(), process.pid, await startOf("self"), randomUUID()].join("/");
  return { name, value };
}

const name = "HOLDFAST_MCP";

let swept: Promise<void> | null = null;

/** A program that was killed could not end its servers: the next one does. */
async function endAbandoned(): Promise<void> {
  const prefix = `${name}=${await namespace()}/`;
  for (const { pid, variable } of await processesWith(prefix)) {
    const [owner, start] = variable.slice(prefix.length).split("/");
    if ((await startOf(Number(owner))) !== start) kill(pid);
  }
}

/** Process ids mean something only within it. */
async function namespace(): Promise<string> {
  return readlink("/proc/self/ns/pid").catch(() => "");
}
