/**
 * The directories that an actor is limited to, each with everything below it, by real paths; null for
 * everywhere. Runs carry those of whoever sent their prompt.
 */
export type Directories = readonly string[] | null;

/** Whether the limit includes this directory. */
export function allows(limit: Directories, directory: string): boolean {
  return limit === null || limit.some((folder) => isIn(directory, folder));
}

/** Whether the limit includes everything that the other one includes. */
export function covers(limit: Directories, other: Directories): boolean {
  if (limit === null || other === null) return limit === null;
  return other.every((directory) => allows(limit, directory));
}

export function sameDirectories(left: Directories, right: Directories): boolean {
  return covers(left, right) && covers(right, left);
}

/** The limit that includes what both include. */
export function intersect(left: Directories, right: Directories): Directories {
  if (left === null || right === null) return left ?? right;
  const both = [
    ...left.filter((directory) => allows(right, directory)),
    ...right.filter((directory) => allows(left, directory)),
  ];
  return [...new Set(both)].toSorted();
}

/** A path that begins with a slash has no other separator: a backslash can be part of a name there. */
function isIn(directory: string, folder: string): boolean {
  const separator = folder.startsWith("/") ? "/" : "\\";
  const prefix = folder.endsWith(separator) ? folder : folder + separator;
  return directory === folder || directory.startsWith(prefix);
}
