import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FolderList } from "../contract/workspace.ts";
import type { Principal, Security } from "./ports.ts";

/** Limits of one request. A person waits for the answer, and there can be millions of folders. */
const maxItems = 500;
const maxRepositories = 50;
const maxVisited = 2_000;
const maxDepth = 4;
const maxMilliseconds = 1_500;

export interface FolderOptions {
  readonly security: Pick<Security, "resolveDirectory">;
  readonly principal: Principal;
  /** Folders to suggest to a token without a directory limit. */
  readonly places: readonly string[];
}

type Item = FolderList["items"][number];

/**
 * Lists the subfolders that the principal may use, or the git repositories below the folder. `security` checks the real
 * path of every folder, so that a symbolic link cannot lead out of the allowed directories.
 */
export async function listFolders(
  options: FolderOptions,
  query: { readonly directory: string | null; readonly isSearch: boolean },
): Promise<FolderList> {
  const places = await allowed(options, options.principal.directories ?? options.places);
  const { security, principal } = options;
  const named = query.directory ?? places[0] ?? options.principal.directories?.[0] ?? "/";
  const directory = await security.resolveDirectory(principal, named);
  const [parent = null] = directory === "/" ? [] : await allowed(options, [dirname(directory)]);
  const found = query.isSearch
    ? await repositoriesBelow(options, directory)
    : await foldersIn(options, directory);
  return {
    directory,
    parent,
    isRepository: await isRepository(directory),
    places,
    ...found,
  };
}

type Found = Pick<FolderList, "items" | "isComplete">;

async function foldersIn(options: FolderOptions, directory: string): Promise<Found> {
  const names = await folderNames(directory);
  const paths = names.slice(0, maxItems).map((name) => join(directory, name));
  const usable = await Promise.all(paths.map((path) => itemOf(options, path)));
  const items = usable.filter((item) => item !== null);
  return { items, isComplete: names.length <= maxItems };
}

async function repositoriesBelow(options: FolderOptions, directory: string): Promise<Found> {
  const until = performance.now() + maxMilliseconds;
  const items: Item[] = [];
  let level = [directory];
  let visited = 0;
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const path of level) {
      visited += 1;
      const isOver = visited > maxVisited || performance.now() > until;
      if (isOver || items.length === maxRepositories) return { items, isComplete: false };
      const item = await itemOf(options, path);
      if (item === null) continue;
      // List only the outermost repository: repositories inside of it are its parts.
      if (item.isRepository) items.push(item);
      else if (depth < maxDepth) {
        next.push(...(await folderNames(path)).map((name) => join(path, name)));
      }
    }
    level = next;
  }
  return { items, isComplete: true };
}

/** Returns the sorted names of the folders and symbolic links in a folder; empty if the folder cannot be read. */
async function folderNames(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith(".") && name !== "node_modules")
      .toSorted((left, right) => left.localeCompare(right));
  } catch {
    return [];
  }
}

async function itemOf(options: FolderOptions, path: string): Promise<Item | null> {
  const [real] = await allowed(options, [path]);
  if (real === undefined) return null;
  return { name: basename(path), path: real, isRepository: await isRepository(real) };
}

/** Returns the real paths of those folders that the principal may use. */
async function allowed(
  { security, principal }: FolderOptions,
  paths: readonly string[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map((path) => security.resolveDirectory(principal, path).catch(() => null)),
  );
  return [...new Set(found.filter((path) => path !== null))];
}

async function isRepository(directory: string): Promise<boolean> {
  try {
    await stat(join(directory, ".git"));
    return true;
  } catch {
    return false;
  }
}
