import { readWhole } from "./files.ts";
import { pathGlob } from "./glob-pattern.ts";
import type { Matcher } from "./glob-pattern.ts";
import { join } from "node:path";

/** The patterns of one .gitignore file, relative to its folder. */
export interface IgnoreFile {
  readonly folder: string;
  readonly patterns: readonly IgnorePattern[];
}

interface IgnorePattern {
  readonly matches: Matcher;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

const maxBytes = 262_144;
const maxPatterns = 5_000;

/** Reads the .gitignore of a folder. Like git, it does not follow a symbolic link. */
export async function readIgnoreFile(folder: string): Promise<IgnoreFile | null> {
  const content = await readWhole(join(folder, ".gitignore"), maxBytes).catch(() => null);
  if (content === null) return null;
  return { folder, patterns: parseIgnore(content.bytes.toString("utf8")) };
}

function parseIgnore(text: string): readonly IgnorePattern[] {
  return text
    .split(/\r?\n/)
    .slice(0, maxPatterns)
    .flatMap((line) => parsePattern(line) ?? []);
}

/**
 * True if the .gitignore files exclude this entry. `files` starts with the file of the outermost folder. The last
 * matching pattern of all files decides.
 */
export function isIgnored(
  files: readonly IgnoreFile[],
  entry: { readonly path: string; readonly isFolder: boolean },
): boolean {
  for (const { folder, patterns } of files.toReversed()) {
    const relative = entry.path.slice(folder.length + (folder === "/" ? 0 : 1));
    const found = patterns.findLast(
      ({ matches, foldersOnly }) => (entry.isFolder || !foldersOnly) && matches(relative),
    );
    if (found !== undefined) return !found.negated;
  }
  return false;
}

function parsePattern(line: string): IgnorePattern | null {
  const trimmed = line.replace(/(?<!\\)[ \t]+$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return null;
  const negated = trimmed.startsWith("!");
  const rest = negated ? trimmed.slice(1) : trimmed;
  const foldersOnly = rest.endsWith("/");
  const body = foldersOnly ? rest.slice(0, -1) : rest;
  if (body === "") return null;
  // A slash within the pattern anchors it to its folder. Without a slash it applies at any depth.
  const anchored = body.includes("/");
  // Git does not expand braces.
  const plain = body.replace(/^\//, "").replaceAll(/[{}]/g, "\\$&");
  return { matches: pathGlob(anchored ? plain : `**/${plain}`), negated, foldersOnly };
}
