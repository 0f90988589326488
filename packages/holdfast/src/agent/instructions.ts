import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openRegular } from "./tools/files.ts";
import { isInside } from "./tools/paths.ts";

/** What a project tells agents in a file of its own. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
  /** It was longer than what is read. */
  readonly truncated: boolean;
}

const fileName = "AGENTS.md";
const defaultMaxBytes = 65_536;

/**
 * The AGENTS.md files from the repository's root (or the file system's) down to the directory, so that
 * the nearest has the last word. The size is shared out from the nearest on: what is dropped is far.
 */
export async function readInstructions(
  directory: string,
  options: { readonly maxBytes?: number } = {},
): Promise<readonly Instructions[]> {
  const found: Instructions[] = [];
  const { folders, root } = await foldersUp(directory);
  // Most folders have none: those are passed over at once, and the rest is read in order.
  const paths = await Promise.all(folders.map((folder) => realPathOf(join(folder, fileName))));
  let left = options.maxBytes ?? defaultMaxBytes;
  for (const file of paths) {
    if (left <= 0) break;
    if (file === null) continue;
    const instructions = await readOne(file, { root, maxBytes: left });
    if (instructions === null) continue;
    left -= Buffer.byteLength(instructions.text);
    found.push(instructions);
  }
  return found.toReversed();
}

/** The nearest first. */
async function foldersUp(directory: string): Promise<{ folders: string[]; root: string }> {
  const folders: string[] = [directory];
  for (let folder = directory; dirname(folder) !== folder; folder = dirname(folder)) {
    folders.push(dirname(folder));
  }
  const roots = await Promise.all(folders.map((folder) => exists(join(folder, ".git"))));
  const place = roots.indexOf(true);
  // Without a repository, a link may lead no further than the directory.
  if (place === -1) return { folders, root: directory };
  return { folders: folders.slice(0, place + 1), root: folders[place] ?? directory };
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

interface FoundFile {
  readonly path: string;
  readonly real: string;
}

function realPathOf(path: string): Promise<FoundFile | null> {
  return realpath(path).then(
    (real) => ({ path, real }),
    () => null,
  );
}

/** A link is fine if it stays in the project; elsewhere it could show the model anything. */
async function readOne(
  { path, real }: FoundFile,
  options: { root: string; maxBytes: number },
): Promise<Instructions | null> {
  const { root, maxBytes } = options;
  if (real !== path && !isInside(real, root)) return null;
  try {
    const handle = await openRegular(real);
    try {
      const buffer = Buffer.alloc(maxBytes + 1);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const bytes = buffer.subarray(0, Math.min(bytesRead, maxBytes));
      if (bytes.includes(0)) return null;
      // A character that was cut in two is left out.
      const text = new TextDecoder().decode(bytes, { stream: true });
      return { path, text, truncated: bytesRead > maxBytes };
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
