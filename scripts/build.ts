import { join, resolve } from "node:path";
import { buildHoldfast } from "./build/build-holdfast.ts";
import { buildSdk } from "./build/build-sdk.ts";

// `npm run build` builds what is published, each into its dist folder; `npm run build -- sdk FOLDER`
// builds one of them, into a folder of choice.

const root = join(import.meta.dirname, "..");
const builds: Record<string, (target: string) => Promise<void>> = {
  sdk: (target) => buildSdk({ root, target }),
  holdfast: (target) => buildHoldfast({ root, target, types: true }),
};
const [wanted, folder] = process.argv.slice(2);
const names = wanted === undefined ? Object.keys(builds) : [wanted];
for (const name of names) {
  const build = builds[name];
  if (build === undefined) {
    console.error(
      `holdfast: there is no package ${name}; write ${Object.keys(builds).join(" or ")}`,
    );
    process.exitCode = 2;
    break;
  }
  const target = resolve(folder ?? join(root, "packages", name, "dist"));
  await build(target);
  console.log(`built ${target}: publish it with \`npm publish\` in there`);
}
