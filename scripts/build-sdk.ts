import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runNode } from "./run-node.ts";

// Builds @holdfast/sdk as it is published: JavaScript and types by plain tsc, in a folder that is a
// package of its own. The package in the workspace serves its TypeScript as it is, which Node does
// not run under node_modules; npm has no way to publish other exports than those of package.json.

const root = join(import.meta.dirname, "..");
const source = join(root, "packages/sdk");
const target = resolve(process.argv[2] ?? join(source, "dist"));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
const compiler = join(root, "node_modules/typescript/bin/tsc");
const project = join(source, "tsconfig.build.json");
process.exitCode = await runNode([compiler, "-p", project, "--outDir", target]);
if (process.exitCode === 0) {
  await writeFile(join(target, "package.json"), await publishedPackage());
  await copyFile(join(source, "README.md"), join(target, "README.md"));
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
  console.log(`built ${target}: publish it with \`npm publish\` in there`);
}

/** The workspace's package.json, with exports that lead to what was built. */
async function publishedPackage(): Promise<string> {
  const workspace: object = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  const entry = { types: "./index.d.ts", default: "./index.js" };
  const published = {
    ...workspace,
    exports: { ".": entry },
    types: entry.types,
    sideEffects: false,
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}
