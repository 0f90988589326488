import { randomUUID } from "node:crypto";
import { readlink } from "node:fs/promises";
import { kill, processesWith, startOf } from "./processes.ts";

/**
 * Creates an environment variable that identifies all processes of an MCP server, a hosted agent or a sandbox, even those
 * that left its process group. Its value contains the Holdfast process that owns them:
 * `HOLDFAST_MCP=<process namespace>/<pid>/<start>/<id>`.
 */
export async function createMark(): Promise<{ readonly name: string; readonly value: string }> {
  cleanup ??= endAbandoned();
  await cleanup;
  const value = [await namespace(), process.pid, await startOf("self"), randomUUID()].join("/");
  return { name: markName, value };
}

export const markName = "HOLDFAST_MCP";

let cleanup: Promise<void> | null = null;

/** Kills processes whose Holdfast process was killed before it could end them. */
async function endAbandoned(): Promise<void> {
  const prefix = `${markName}=${await namespace()}/`;
  for (const { pid, variable } of await processesWith(prefix)) {
    const [owner, start] = variable.slice(prefix.length).split("/");
    if ((await startOf(Number(owner))) !== start) kill(pid);
  }
}

/** Returns the process namespace. Process ids are unique only within a namespace. */
async function namespace(): Promise<string> {
  return readlink("/proc/self/ns/pid").catch(() => "");
}
