import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../tools/paths.ts";
import { reportSandbox } from "../tools/sandbox/find-sandbox.ts";
import { privatePaths } from "../tools/sandbox/private-paths.ts";
import type { SandboxedCommand } from "../tools/sandbox/sandbox.ts";
import { AgentGone } from "./agent-process.ts";
import type { HostedConfig } from "./hosted-config.ts";

/**
 * Wraps the command of a hosted agent so that it runs in the sandbox. The agent can use the network, the session's
 * directory, its own program and its own folders in the home directory. The rest of the home directory and Holdfast's
 * data appear empty.
 */
export async function sandboxedAgent(
  { command, sandbox, folders }: Pick<HostedConfig, "command" | "sandbox" | "folders">,
  place: { readonly directory: string; readonly home: string; readonly data: string },
): Promise<SandboxedCommand> {
  const plain = { command, inputs: [], status: null };
  if (sandbox === "off") return plain;
  const { sandbox: found, problem } = await reportSandbox();
  if (found === null) {
    if (sandbox === "auto") return plain;
    throw new AgentGone(`its config requires a sandbox, but ${problem}`, {
      advice: "Make the sandbox work. See docs/HOSTED.md#sandbox",
    });
  }
  const directory = realpathSync(place.directory);
  const emptied = present([place.home, place.data]);
  const own = folders.map((folder) => join(place.home, folder));
  // Create missing folders, because sessions that the agent stores in them would otherwise be lost with the sandbox. A
  // path with a dot in the middle of its name is a file, and is not created.
  for (const path of own) if (!/\w\./.test(basename(path))) mkdirSync(path, { recursive: true });
  return found.wrap({
    command,
    directory,
    emptied: emptied.filter((path) => !isInside(path, directory)),
    visible: present(command.filter((word) => isAbsolute(word))).map((program) =>
      programFolder(program, emptied),
    ),
    writable: [directory, ...present(own)],
    pinned: [],
    readOnly: [],
    hidden: privatePaths({ homes: [], allowed: [] }),
    network: true,
  });
}

/** Returns the real paths of the paths that exist. */
function present(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
}

/**
 * Returns the path that must be visible in the sandbox for a program: its `node_modules`, else its folder. If that
 * would expose a whole folder that must appear empty, returns only the program itself.
 */
function programFolder(program: string, emptied: readonly string[]): string {
  const [root = "", ...rest] = program.split("/node_modules/");
  const folder = rest.length === 0 ? dirname(program) : join(root, "node_modules");
  return emptied.some((path) => isInside(path, folder)) ? program : folder;
}
