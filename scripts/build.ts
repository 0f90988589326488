import { join, resolve } from "node:path";
import { buildHoldfast } from "./build/build-holdfast.ts";
import { buildSdk } from "./build/build-sdk.ts";

// `npm run build` builds both published packages, each into its dist folder. `npm run build -- sdk FOLDER`
// builds one package into another folder.

const root = join(import.meta.dirname, "..");
const builds: Record<string, (target: string) => Promise<void>> = {
  sdk: (target) => buildSdk({ root, target }),
  holdfast: (target) => buildHoldfast({ root, target }),
};
const [wanted, folder] = process.argv.slice(2);
const names = wanted === undefined ? Object.keys(builds) : [wanted];
for (const name of names) {
  const build = builds[name];
  if (build === undefined) {
    console.error(`holdfast: unknown package ${name}; use ${Object.keys(builds).join(" or ")}`);
    process.exitCode = 2;
    break;
  }
  const target = resolve(folder ?? join(root, "packages", name, "dist"));
  await build(target);
  console.log(`built ${target}. To publish it, run \`npm publish\` there.`);
}
