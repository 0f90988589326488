import { join } from "node:path";
import { webSources } from "../build-web/ensure-web.ts";
import { buildHoldfast } from "./build-holdfast.ts";
import { buildSdk } from "./build-sdk.ts";
import { ensureBuilt } from "./ensure-built.ts";

const sources = [
  ...webSources,
  "packages/holdfast/{src,bin}/**/*",
  "packages/holdfast/{package.json,config.schema.json,README.md}",
  "packages/sdk/{package.json,tsconfig.build.json,README.md}",
  "scripts/build/*.ts",
];

/** Holdfast as npm installs it, made of the sources as they are; answers the command's file. */
export async function ensurePackage(root: string): Promise<string> {
  const folder = join(root, "node_modules/.holdfast-package/node_modules");
  await ensureBuilt({
    root,
    name: "package",
    folder,
    sources,
    build: async () => {
      await buildSdk({ root, target: join(folder, "@holdfast/sdk") });
      await buildHoldfast({ root, target: join(folder, "holdfast"), types: false });
    },
  });
  return join(folder, "holdfast/bin/holdfast.js");
}
