import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { inHome, isInside, subjectOf } from "../tools/paths.ts";
import type { CallUpdate } from "./updates.ts";

/**
 * Returns all paths that a call names, each once: those of its diffs, its locations and its input. Codex names the
 * target of a move only in the input.
 */
export function pathsOf({ diffs = [], paths = [], input }: CallUpdate): readonly string[] {
  return [...new Set([...diffs.map(({ path }) => path), ...paths, ...pathsIn(input)])];
}

/** Names of fields with the path of a file, which differ between agents. */
const pathFields = new Set([
  "path",
  "file_path",
  "filePath",
  "abs_path",
  "notebook_path",
  "old_path",
  "new_path",
  "move_path",
  "movePath",
  "destination",
]);

/** Maximum nesting of path fields: the deepest one known is `changes[0].kind.move_path` of Codex. */
const maxDepth = 4;

function pathsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value !== "object" || value === null || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    if (typeof field !== "string") return pathsIn(field, depth + 1);
    return pathFields.has(name) && field !== "" ? [field] : [];
  });
}

/**
 * Returns the real path relative to the directory, or the absolute path if it is outside. Relative paths start in the
 * session's directory, where the agent runs, and `~` is the home directory.
 */
export function realSubject(path: string, directory: string): string {
  const named = inHome(path);
  const written = isAbsolute(named) ? named : `${directory}/${named}`;
  const absolute = resolve(written);
  const real = realPath(written);
  const lexical = realPath(absolute);
  // It is unknown which file this path names, so the path counts as outside.
  if (real === null || lexical === null) return absolute;
  // After a link, `..` is the parent of the target for the system, and the parent of the link for some agents. If one
  // of the two is outside, the path counts as outside.
  return subjectOf(isInside(real, directory) ? lexical : real, directory);
}

const maxLinks = 40;

/**
 * Resolves all links of an absolute path. A broken link counts as its target, because writing to the link would create
 * the target. Returns null if the path cannot be resolved.
 */
function realPath(path: string, links = 0): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if ((code !== "ENOENT" && code !== "ENOTDIR") || links > maxLinks) return null;
  }
  const target = linkTarget(path);
  if (target !== null) return realPath(target, links + 1);
  const folder = realPath(dirname(path), links);
  return folder === null ? null : join(folder, basename(path));
}

/** Returns the target of a symbolic link as an absolute path; null for anything else. */
function linkTarget(path: string): string | null {
  try {
    const target = readlinkSync(path);
    return isAbsolute(target) ? target : `${realpathSync.native(dirname(path))}/${target}`;
  } catch {
    return null;
  }
}
