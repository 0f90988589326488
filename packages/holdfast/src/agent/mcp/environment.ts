import { randomUUID } from "node:crypto";
import { readlink } from "node:fs/promises";
import { kill, processesWith, startOf } from "../tools/processes.ts";
/** Variables that most programs need. None of them is secret. */
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

/** Builds the environment of a server process: a few variables of this process, and the configured ones. */
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
 * Creates a variable that marks all processes of a server, even those that left its process group. Its value names
 * the Holdfast process that owns them: `HOLDFAST_MCP=<process namespace>/<pid>/<start>/<server>`.
 */
export async function createMark(): Promise<{ readonly name: string; readonly value: string }> {
  cleanup ??= endAbandoned();
  await cleanup;
  const value = [await namespace(), process.pid, await startOf("self"), randomUUID()].join("/");
  return { name, value };
}

const name = "HOLDFAST_MCP";

let cleanup: Promise<void> | null = null;

/** Kills MCP servers whose Holdfast process was killed before it could stop its servers. */
async function endAbandoned(): Promise<void> {
  const prefix = `${name}=${await namespace()}/`;
  for (const { pid, variable } of await processesWith(prefix)) {
    const [owner, start] = variable.slice(prefix.length).split("/");
    if ((await startOf(Number(owner))) !== start) kill(pid);
  }
}

/** The process namespace. Process ids are unique only inside of it. */
async function namespace(): Promise<string> {
  return readlink("/proc/self/ns/pid").catch(() => "");
}
