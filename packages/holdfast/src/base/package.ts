import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the root directory of this package, in a clone or installed: the nearest parent with a package.json. */
export function packageFolder(): string {
  found ??= folderAbove(import.meta.dirname);
  return found;
}

export function programVersion(): string {
  if (version === null) {
    const text = readFileSync(join(packageFolder(), "package.json"), "utf8");
    const manifest: { version: string } = JSON.parse(text);
    ({ version } = manifest);
  }
  return version;
}

let found: string | null = null;
let version: string | null = null;

function folderAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`there is no package.json above ${start}`);
  }
}
