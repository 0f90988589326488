import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Migration } from "../../src/store/migrate.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const source = join(import.meta.dirname, "../../src");
const places = {
  migrations: pathToFileURL(join(source, "store/postgres/migrations.ts")).href,
  version: pathToFileURL(join(source, "base/package.ts")).href,
};

/**
 * Creates another release of this program: the same sources with another version and further migrations. Returns a
 * module that turns the process which imports it first into that release.
 */
export function makeRelease(
  test: { after(work: () => void): void },
  release: { version: string; migrations: readonly Migration[] },
): string {
  const folder = scratchFolder(test, "release");
  const changed = {
    [places.migrations]: `
      import { migrations as earlier } from "${places.migrations}?earlier";
      export const migrations = [...earlier, ...${JSON.stringify(release.migrations)}];`,
    [places.version]: `
      export { packageFolder } from "${places.version}?earlier";
      export const programVersion = () => ${JSON.stringify(release.version)};`,
  };
  const file = join(folder, "release.mjs");
  writeFileSync(
    file,
    `import { registerHooks } from "node:module";
    const changed = ${JSON.stringify(changed)};
    registerHooks({
      load: (url, context, load) =>
        url in changed
          ? { format: "module", source: changed[url], shortCircuit: true }
          : load(url, context),
    });`,
  );
  return file;
}
