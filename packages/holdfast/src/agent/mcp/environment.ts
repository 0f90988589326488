import { randomUUID } from "node:crypto";
import { readlink } from "node:fs/promises";
import { isNetworkSetting } from "../tools/environment.ts";
import { kill, processesWith, startOf } from "../tools/processes.ts";

/** Environment variables that most programs need. None of them is secret. */
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

/** Builds the environment of an MCP server's process: a few of Holdfast's own variables, and the configured ones. */
export function serverEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isPassed(name, value) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), TERM: "dumb", NO_COLOR: "1", ...given };
}

function isPassed(name: string, value: string): boolean {
  return passedOn.has(name) || name.startsWith("LC_") || isNetworkSetting(name, value);
}

/**
 * Creates an environment variable that identifies all processes of a server, even those that left its process group.
 * Its value contains the Holdfast process that owns them: `HOLDFAST_MCP=<process namespace>/<pid>/<start>/<server>`.
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

/** Returns the process namespace. Process ids are unique only within a namespace. */
async function namespace(): Promise<string> {
  return readlink("/proc/self/ns/pid").catch(() => "");
}
