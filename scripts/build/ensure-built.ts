import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../bootstrap/lock.mjs";

/** Builds a folder unless the last build is up to date. Returns whether it was built. */
export async function ensureBuilt(options: {
  root: string;
  name: string;
  /** Target folder. A file in it stores the digest of the sources. */
  folder: string;
  /** Files that the folder is built from: glob patterns relative to `root`. */
  sources: readonly string[];
  build: () => Promise<void>;
}): Promise<boolean> {
  const { root, name, folder, sources, build } = options;
  const mark = join(folder, ".built-from");
  if (readMark(mark) === digest(root, sources)) return false;
  let isBuilt = false;
  await withLock(join(root, `node_modules/.holdfast-${name}-lock`), async () => {
    const wanted = digest(root, sources);
    if (readMark(mark) === wanted) return;
    // Remove the digest first and write it last, so that an interrupted build leaves none.
    rmSync(mark, { force: true });
    await build();
    writeFileSync(mark, wanted);
    isBuilt = true;
  });
  return isBuilt;
}

function readMark(mark: string): string | null {
  try {
    return readFileSync(mark, "utf8");
  } catch {
    return null;
  }
}

function digest(root: string, sources: readonly string[]): string {
  const hash = createHash("sha256");
  const found = globSync(sources, { cwd: root, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  for (const path of found.map((file) => join(file.parentPath, file.name)).toSorted()) {
    hash.update(`\n${path.slice(root.length)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}
