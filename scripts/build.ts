import { join, resolve } from "node:path";
import { buildGauntlet } from "./build/build-gauntlet.ts";
import { buildHoldfast } from "./build/build-holdfast.ts";
import { buildSdk } from "./build/build-sdk.ts";
import { showHelp } from "./read-arguments.ts";

showHelp(`npm run build -- [PACKAGE [FOLDER]]

Builds the published packages, each into its dist folder.

  PACKAGE    Only this package: sdk, holdfast or gauntlet
  FOLDER     Build it into this folder`);

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
