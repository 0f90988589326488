/**
 * Directories that an actor is limited to, including their subdirectories, as real paths; null: no limit. A
 * run has the limit of the actor that sent its prompt.
 */
export type Directories = readonly string[] | null;

/** True if the limit includes this directory. */
export function allows(limit: Directories, directory: string): boolean {
  return limit === null || limit.some((folder) => isIn(directory, folder));
}

/** True if the limit includes everything in the other limit. */
export function covers(limit: Directories, other: Directories): boolean {
  if (limit === null || other === null) return limit === null;
  return other.every((directory) => allows(limit, directory));
}

export function sameDirectories(left: Directories, right: Directories): boolean {
  return covers(left, right) && covers(right, left);
}

/** Returns the limit that includes only paths in both limits. */
export function intersect(left: Directories, right: Directories): Directories {
  if (left === null || right === null) return left ?? right;
  const both = [
    ...left.filter((directory) => allows(right, directory)),
    ...right.filter((directory) => allows(left, directory)),
  ];
  return [...new Set(both)].toSorted();
}

/** True if the directory is `folder` or below it. In a POSIX path a backslash is part of a name, not a separator. */
function isIn(directory: string, folder: string): boolean {
  const separator = folder.startsWith("/") ? "/" : "\\";
  const prefix = folder.endsWith(separator) ? folder : folder + separator;
  return directory === folder || directory.startsWith(prefix);
}
