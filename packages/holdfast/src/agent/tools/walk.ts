import { opendir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isIgnored, readIgnoreFile } from "./gitignore.ts";
import type { IgnoreFile } from "./gitignore.ts";
import { isInside } from "./paths.ts";

export interface WalkedEntry {
  /** Absolute path. No folder in the path is a link, but the entry itself may be one. */
  readonly path: string;
  readonly kind: "file" | "link" | "other";
}

export interface WalkOptions {
  /** Real path of an existing folder. */
  readonly start: string;
  /** The session's directory, where the search for .gitignore files begins. */
  readonly directory: string;
  /** True: include ignored files, node_modules and .git. */
  readonly everything: boolean;
  /** Real paths to skip, even with `everything`. */
  readonly hidden: readonly string[];
  readonly signal: AbortSignal;
}

const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Yields all files below a folder, sorted by name in each folder. Links are not followed. */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkedEntry> {
  const { start, directory, hidden, signal } = options;
  const above = options.everything ? [] : await ignoreFilesAbove(start, directory);
  // If the start folder itself is ignored, the caller wants its content, so ignore nothing in it.
  const everything = options.everything || isExcluded(start, directory, above);
  yield* walkFolder(start, { files: above, everything, hidden: new Set(hidden), signal });
}

async function* walkFolder(
  folder: string,
  rules: {
    files: readonly IgnoreFile[];
    everything: boolean;
    hidden: ReadonlySet<string>;
    signal: AbortSignal;
  },
): AsyncGenerator<WalkedEntry> {
  const { everything, hidden, signal } = rules;
  signal.throwIfAborted();
  const own = everything ? null : await readIgnoreFile(folder);
  const files = own === null ? rules.files : [...rules.files, own];
  const entries = await readFolder(folder, signal);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const { kind } = entry;
    const isFolder = kind === "folder";
    if (hidden.has(path)) continue;
    if (!everything && isFolder && skippedFolders.has(entry.name)) continue;
    if (!everything && isIgnored(files, { path, isFolder })) continue;
    if (isFolder) yield* walkFolder(path, { files, everything, hidden, signal });
    else yield { path, kind };
  }
}

interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** Reads a folder. Returns no entries if the folder cannot be read or no longer exists. */
async function readFolder(folder: string, signal: AbortSignal): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      signal.throwIfAborted();
      entries.push({ name: entry.name, kind: kindOf(entry) });
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): FolderEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Returns the .gitignore files from the session's directory down to the parent of the start folder. */
async function ignoreFilesAbove(start: string, directory: string): Promise<IgnoreFile[]> {
  if (start === directory || !isInside(start, directory)) return [];
  const outer = await ignoreFilesAbove(dirname(start), directory);
  const own = await readIgnoreFile(dirname(start));
  return own === null ? outer : [...outer, own];
}

function isExcluded(start: string, directory: string, files: readonly IgnoreFile[]): boolean {
  for (let path = start; path !== directory && isInside(path, directory); path = dirname(path)) {
    const above = files.filter(({ folder }) => isInside(dirname(path), folder));
    if (skippedFolders.has(path.slice(path.lastIndexOf("/") + 1))) return true;
    if (isIgnored(above, { path, isFolder: true })) return true;
  }
  return false;
}
