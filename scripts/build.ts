import { join, resolve } from "node:path";
import { buildGauntlet } from "./build/build-gauntlet.ts";
import { buildHoldfast } from "./build/build-holdfast.ts";
import { buildSdk } from "./build/build-sdk.ts";

// `npm run build` builds the published packages, each into its dist folder. `npm run build -- sdk FOLDER`
// builds one package into another folder.

const root = join(import.meta.dirname, "..");
const builds: Record<string, (target: string) => Promise<void>> = {
  sdk: (target) => buildSdk({ root, target }),
  holdfast: (target) => buildHoldfast({ root, target }),
  gauntlet: (target) => buildGauntlet({ root, target }),
};
const places: Record<string, string> = { gauntlet: "gauntlet" };
const [wanted, folder] = process.argv.slice(2);
const names = wanted === undefined ? Object.keys(builds) : [wanted];
for (const name of names) {
  const build = builds[name];
  if (build === undefined) {
    console.error(`holdfast: unknown package ${name}; use ${Object.keys(builds).join(", ")}`);
    process.exitCode = 2;
    break;
  }
  const target = resolve(folder ?? join(root, places[name] ?? `packages/${name}`, "dist"));
  await build(target);
  console.log(`built ${target}. To publish it, run \`npm publish\` there.`);
}
