import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { areOnLocalDisk, look } from "./local-disk.ts";
import { shareWork } from "../base/share-work.ts";
import { openRegular } from "./tools/files.ts";
import { foldersUp, isGuarded, isInside } from "./tools/paths.ts";

/** The content of an instruction file. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
  /** True if the text was cut because the file exceeds the limit. */
  readonly truncated: boolean;
}

/** Names of instruction files. In each folder, only the first that can be read is used. */
const fileNames = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] as const;
const defaultMaxBytes = 65_536;

/**
 * Reads the instruction files of a directory, such as AGENTS.md. Skips files in the folders `hidden`, which the agent
 * must not see.
 */
export type InstructionsReader = (
  directory: string,
  hidden: readonly string[],
) => Promise<readonly Instructions[]>;

/** Creates a reader. Concurrent requests for the same directory share one read. */
export function createInstructionsReader(): InstructionsReader {
  const isQuick = createDiskMemory();
  return shareWork(async (directory, hidden: readonly string[]) =>
    readInstructions(directory, { hidden, isQuick: await isQuick(directory) }),
  );
}

/** Holdfast caches for this many milliseconds whether a directory is on a local disk. */
const rememberedFor = 30_000;
const mostDirectories = 1_000;

function createDiskMemory(): (directory: string) => Promise<boolean> {
  const known = new Map<string, { readonly isQuick: Promise<boolean>; readonly until: number }>();
  return (directory) => {
    const found = known.get(directory);
    if (found !== undefined && found.until > performance.now()) return found.isQuick;
    if (known.size >= mostDirectories) known.clear();
    const isQuick = areOnLocalDisk(foldersUp(directory));
    known.set(directory, { isQuick, until: performance.now() + rememberedFor });
    return isQuick;
  };
}

/**
 * Reads the instruction files from the repository root (or the file system root) down to the directory, whose file
 * comes last. If all files together exceed the size limit, the most distant ones are cut. Outside of a repository,
 * files of parent folders count only if a trusted user owns them, because anybody can put a file into /tmp.
 */
export async function readInstructions(
  directory: string,
  options: {
    readonly maxBytes?: number;
    readonly isQuick?: boolean;
    readonly hidden?: readonly string[];
  } = {},
): Promise<readonly Instructions[]> {
  const { maxBytes = defaultMaxBytes, isQuick = false, hidden = [] } = options;
  const found: Instructions[] = [];
  const isOurs = await ownersOf(directory, isQuick);
  const { folders, root, isRepository } = await upToRoot(directory, { isQuick, isOurs });
  // Check all folders for files in parallel, because most have none. Then read the files in order.
  const present = await Promise.all(folders.map((folder) => filesIn(folder, isQuick)));
  let left = maxBytes;
  for (const [place, folder] of folders.entries()) {
    if (left <= 0) break;
    const isTrusted = (file: Present): boolean =>
      folder === directory || isRepository || isOurs(file.stats);
    const paths = (present[place] ?? []).filter(isTrusted).map(({ path }) => path);
    const instructions = await readFirst(paths, { root, hidden, maxBytes: left });
    if (instructions === null) continue;
    left -= Buffer.byteLength(instructions.text);
    found.push(instructions);
  }
  return found.toReversed();
}

interface Present {
  readonly path: string;
  readonly stats: { readonly uid: bigint };
}

async function filesIn(folder: string, isQuick: boolean): Promise<readonly Present[]> {
  const paths = fileNames.map((name) => join(folder, name));
  const found = await Promise.all(paths.map((path) => look(path, isQuick)));
  return paths.flatMap((path, place) => {
    const stats = found[place] ?? null;
    return stats === null ? [] : [{ path, stats }];
  });
}

type IsOurs = (found: { readonly uid: bigint }) => boolean;

/**
 * Returns a check for trusted owners: root, the current user, and the owner of the directory (the same rule as
 * git's).
 */
async function ownersOf(directory: string, isQuick: boolean): Promise<IsOurs> {
  const own = process.getuid?.();
  if (own === undefined) return () => true;
  const { uid: owner = 0n } = (await look(directory, isQuick)) ?? {};
  const owners = new Set([0n, BigInt(own), owner]);
  return ({ uid }) => owners.has(uid);
}

async function upToRoot(
  directory: string,
  { isQuick, isOurs }: { isQuick: boolean; isOurs: IsOurs },
): Promise<{ folders: readonly string[]; root: string; isRepository: boolean }> {
  const folders = foldersUp(directory);
  const found = await Promise.all(folders.map((folder) => look(join(folder, ".git"), isQuick)));
  const place = found.findIndex(
    (git, index) => git !== null && (folders[index] === directory || isOurs(git)),
  );
  // Outside of a repository, links may point only into the directory itself.
  if (place === -1) return { folders, root: directory, isRepository: false };
  const root = folders[place] ?? directory;
  return { folders: folders.slice(0, place + 1), root, isRepository: true };
}

interface ReadOptions {
  readonly root: string;
  readonly hidden: readonly string[];
  readonly maxBytes: number;
}

async function readFirst(
  paths: readonly string[],
  options: ReadOptions,
): Promise<Instructions | null> {
  for (const path of paths) {
    const instructions = await readOne(path, options);
    if (instructions !== null) return instructions;
  }
  return null;
}

/**
 * Reads one file. A link must stay inside the project, because a link to the outside could expose any file to the
 * model.
 */
async function readOne(path: string, options: ReadOptions): Promise<Instructions | null> {
  const { root, hidden, maxBytes } = options;
  try {
    const real = await realpath(path);
    if (real !== path && !isInside(real, root)) return null;
    if (await isGuarded(real, hidden)) return null;
    const handle = await openRegular(real);
    try {
      const buffer = Buffer.alloc(maxBytes + 1);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const bytes = buffer.subarray(0, Math.min(bytesRead, maxBytes));
      if (bytes.includes(0)) return null;
      // Drop an incomplete character at the end.
      const text = new TextDecoder().decode(bytes, { stream: true });
      return { path, text, truncated: bytesRead > maxBytes };
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
