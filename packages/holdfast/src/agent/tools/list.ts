import { lstat, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { locate, shown } from "./paths.ts";
import { readPermission } from "./read-permission.ts";
import { completed, failed, fileFailure } from "./result.ts";
import type { Tool } from "./tool.ts";

const maxEntries = 1_000;
/** Maximum number of names to read and sort. A larger folder is listed in part. */
const maxNames = 50_000;

const input = z.object({
  path: z.string().optional().describe("The folder. Default: the session's directory."),
});

type ListInput = z.infer<typeof input>;

export const listTool: Tool<ListInput> = {
  name: "list",
  description:
    "Lists the content of one folder: folders end in a slash, links show their target, files their " +
    "size. To find files by name in a whole tree, use glob.",
  input,
  example: { path: "src" },
  repeatable: true,
  parallel: true,
  permission: ({ path = "." }, context) => readPermission(path, context),
  run: async ({ path = "." }, context) => {
    const place = await locate(path, context);
    if (place.status === "refused") return failed(place.message);
    try {
      const names = await readNames(place.path, context.signal);
      const kept = names.slice(0, maxEntries);
      const lines = await Promise.all(kept.map((name) => describe(place.path, name)));
      const more = names.length > kept.length;
      if (more) lines.push(`[the first ${kept.length} of ${countText(names.length)} entries]`);
      return completed(lines.join("\n") || "(the folder is empty)", { truncated: more });
    } catch (error) {
      return fileFailure(path, error, context.signal);
    }
  },
};

async function readNames(folder: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    signal.throwIfAborted();
    names.push(entry.name);
    if (names.length >= maxNames) break;
  }
  return names.toSorted();
}

async function describe(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  try {
    const stat = await lstat(path);
    if (stat.isDirectory()) return `${shown(name)}/`;
    if (stat.isSymbolicLink()) return `${shown(name)} -> ${shown(await readlink(path))}`;
    return stat.isFile() ? `${shown(name)} (${stat.size} bytes)` : `${shown(name)} (not a file)`;
  } catch {
    return `${shown(name)} (deleted)`;
  }
}

function countText(count: number): string {
  return count >= maxNames ? `more than ${maxNames}` : String(count);
}
