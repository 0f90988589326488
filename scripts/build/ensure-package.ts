import { join } from "node:path";
import { webSources } from "../build-web/ensure-web.ts";
import { buildHoldfast } from "./build-holdfast.ts";
import { buildSdk } from "./build-sdk.ts";
import { ensureBuilt } from "./ensure-built.ts";

const sources = [
  ...webSources,
  "packages/holdfast/{src,bin}/**/*",
  "packages/terminal/src/**/*.ts",
  "packages/holdfast/{package.json,config.schema.json,models.json,agent-packages.json,README.md}",
  "packages/{holdfast,sdk}/tsconfig.build.json",
  "packages/sdk/{package.json,README.md}",
  "LICENSE",
  "scripts/build/*.ts",
];

/**
 * Builds the packages `holdfast` and `@holdfast/sdk` as npm installs them, unless the last build is fresh. Returns the
 * path of the `holdfast` command.
 */
export async function ensurePackage(root: string): Promise<string> {
  const folder = join(root, "node_modules/.holdfast-package/node_modules");
  await ensureBuilt({
    root,
    name: "package",
    folder,
    sources,
    build: async () => {
      await buildSdk({ root, target: join(folder, "@holdfast/sdk") });
      await buildHoldfast({ root, target: join(folder, "holdfast") });
    },
  });
  return join(folder, "holdfast/bin/holdfast.js");
}
