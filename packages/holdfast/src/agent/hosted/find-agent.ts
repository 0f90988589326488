import { readFile, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { KnownAgent } from "./known-agents.ts";

/** An agent on this machine that can be started. */
export interface FoundAgent {
  readonly command: readonly [string, ...string[]];
  /** `installed`: by `holdfast agents add`. `path`: a program on the PATH. */
  readonly source: "installed" | "path";
  /** Version of an installed agent. Null if the program was found on the PATH, because its version is not known. */
  readonly version: string | null;
}

/**
 * Record of an installed agent in its folder. It is written last, so a folder without it is an incomplete installation.
 */
const installedSchema = z.object({
  name: z.string(),
  package: z.string(),
  version: z.string(),
  /** Integrity hash of the package, as in the lock file. */
  integrity: z.string(),
  /** Path of the program, relative to the agent's folder. */
  program: z.string(),
  /** True: start the program with Holdfast's own Node. */
  node: z.boolean(),
});
export type InstalledAgent = z.output<typeof installedSchema>;

export const recordFile = "agent.json";

/** Finds an agent: the installed one, else a program on the PATH. Null if there is none. */
export async function findAgent(
  agent: KnownAgent,
  options: { readonly folder: string; readonly path: string },
): Promise<FoundAgent | null> {
  const own = join(options.folder, agent.name);
  const record = await readInstalled(own);
  if (record !== null) {
    const program = join(own, record.program);
    const command = record.node ? [process.execPath, program] : [program];
    const [first = program, ...rest] = [...command, ...agent.args];
    return { command: [first, ...rest], source: "installed", version: record.version };
  }
  const program = await findProgram(agent.program, options.path);
  if (program === null) return null;
  return { command: [program, ...agent.args], source: "path", version: null };
}

export async function readInstalled(folder: string): Promise<InstalledAgent | null> {
  try {
    const text = await readFile(join(folder, recordFile), "utf8");
    return installedSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns the path of a program on the PATH; null if there is none. */
export async function findProgram(program: string, path: string): Promise<string | null> {
  // Ignore relative PATH entries, because they could find programs of the project.
  const candidates = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program));
  const found = await Promise.all(candidates.map(isProgram));
  return candidates.find((_, index) => found[index]) ?? null;
}

async function isProgram(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.isFile() && (found.mode & 0o111) !== 0;
}
