import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile } from "./compile.ts";
import { manifestOf } from "./manifest.ts";

/**
 * Builds holdfast-gauntlet as it is published: JavaScript without dependencies. Compiles only the modules that the
 * published command loads. The module that tests Holdfast from its source code is not among them.
 */
export async function buildGauntlet(options: { root: string; target: string }): Promise<void> {
  const { root, target } = options;
  const source = join(root, "gauntlet");
  await rm(target, { recursive: true, force: true });
  await compile(join(source, "tsconfig.build.json"), target);
  await mkdir(join(target, "bin"), { recursive: true });
  const bin = await readFile(join(source, "bin/holdfast-gauntlet.js"), "utf8");
  await writeFile(join(target, "bin/holdfast-gauntlet.js"), onJavaScript(bin), { mode: 0o755 });
  await writeFile(join(target, "package.json"), await manifestOf(source, {}));
  await copyFile(join(source, "README.md"), join(target, "README.md"));
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
}

/** Makes the command start the compiled file. */
function onJavaScript(bin: string): string {
  const before = "../command.ts";
  if (bin.split(before).length !== 2) {
    throw new Error(`bin/holdfast-gauntlet.js must name ${before} once`);
  }
  return bin.replace(before, "../command.js");
}
