import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compile } from "./compile.ts";
import { manifestOf } from "./manifest.ts";

/**
 * Builds @holdfast/sdk for publishing: tsc compiles JavaScript and types into a separate package folder. The package in
 * this repository cannot be published itself: its `exports` name TypeScript files, which Node does not run under
 * node_modules, and npm cannot replace `exports` when it publishes.
 */
export async function buildSdk(options: { root: string; target: string }): Promise<void> {
  const { root, target } = options;
  const source = join(root, "packages/sdk");
  await rm(target, { recursive: true, force: true });
  await compile(join(source, "tsconfig.build.json"), target);
  const entry = { types: "./index.d.ts", default: "./index.js" };
  const manifest = await manifestOf(source, {
    exports: { ".": entry, "./ai": { types: "./ai.d.ts", default: "./ai.js" } },
    types: entry.types,
    sideEffects: false,
  });
  await writeFile(join(target, "package.json"), manifest);
  await copyFile(join(source, "README.md"), join(target, "README.md"));
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
}
