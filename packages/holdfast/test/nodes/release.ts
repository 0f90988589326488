import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Migration } from "../../src/store/migrate.ts";

const own = join(import.meta.dirname, "../..");

/** Another release of this program: the same sources, with another version and further migrations. */
export function makeRelease(
  test: { after(work: () => void): void },
  release: { version: string; migrations: readonly Migration[] },
): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-release-")));
  test.after(() => rmSync(root, { recursive: true }));
  for (const part of ["bin", "src", "package.json"]) {
    cpSync(join(own, part), join(root, part), { recursive: true });
  }
  symlinkSync(join(own, "../../node_modules"), join(root, "node_modules"));
  const manifest = join(root, "package.json");
  const text = readFileSync(manifest, "utf8");
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(text), version: release.version }));
  const folder = join(root, "src/store/postgres");
  renameSync(join(folder, "migrations.ts"), join(folder, "earlier-migrations.ts"));
  writeFileSync(
    join(folder, "migrations.ts"),
    `import { migrations as earlier } from "./earlier-migrations.ts";
    export const migrations = [...earlier, ...${JSON.stringify(release.migrations)}];`,
  );
  return join(root, "bin/holdfast.js");
}
