import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../bootstrap/lock.mjs";

/** What the built page is made of, besides the packages that the lock file names. */
const sources = [
  "packages/web/{src,public}/**/*",
  "packages/web/{index.html,vite.config.ts,package.json}",
  "packages/sdk/src/**/*.ts",
  "package-lock.json",
];

/** Builds the web page unless what is there was made of just these files; answers whether it did. */
export async function ensureWeb(root: string): Promise<boolean> {
  const mark = join(root, "packages/web/dist/.built-from");
  if (readMark(mark) === digest(root)) return false;
  let isBuilt = false;
  await withLock(join(root, "node_modules/.holdfast-web-lock"), async () => {
    const wanted = digest(root);
    if (readMark(mark) === wanted) return;
    // The mark goes first and comes back last: a build that was cut off leaves none.
    rmSync(mark, { force: true });
    // Loaded only when there is something to build.
    const { build } = await import("vite");
    await build({ configFile: join(root, "packages/web/vite.config.ts"), logLevel: "warn" });
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

function digest(root: string): string {
  const hash = createHash("sha256");
  const found = globSync(sources, { cwd: root, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  for (const path of found.map((file) => join(file.parentPath, file.name)).toSorted()) {
    hash.update(`\n${path.slice(root.length)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}
