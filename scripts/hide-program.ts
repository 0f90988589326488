import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

/**
 * Returns a PATH that finds every program except one. Each folder with the program is replaced by a
 * folder of links to all other programs. The caller removes the links.
 */
export function hideProgram(
  program: string,
  path: string,
): { readonly path: string; remove(): void } {
  const links = mkdtempSync(join(tmpdir(), "holdfast-path-"));
  const folders = path.split(delimiter).map((folder, index) => {
    if (!existsSync(join(folder, program))) return folder;
    const copy = join(links, String(index));
    mkdirSync(copy);
    for (const name of readdirSync(folder)) {
      if (name !== program) symlinkSync(resolve(folder, name), join(copy, name));
    }
    return copy;
  });
  return {
    path: folders.join(delimiter),
    remove: () => rmSync(links, { recursive: true, force: true }),
  };
}
