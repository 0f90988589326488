import { join } from "node:path";
import { ensureBuilt } from "../build/ensure-built.ts";

/**
 * Files that the web page is built from. If one of them changes, the page is built again. The lock file stands for the
 * installed packages.
 */
export const webSources = [
  "packages/web/{src,public}/**/*",
  "packages/web/{index.html,vite.config.ts,package.json}",
  "packages/{model,sdk}/src/**/*.ts",
  "package-lock.json",
];

/** Builds the web page unless the last build is up to date. Returns whether it was built. */
export function ensureWeb(root: string): Promise<boolean> {
  return ensureBuilt({
    root,
    name: "web",
    folder: join(root, "packages/web/dist"),
    sources: webSources,
    build: async () => {
      // Loaded on demand: vite is slow to load.
      const { build } = await import("vite");
      await build({ configFile: join(root, "packages/web/vite.config.ts"), logLevel: "warn" });
    },
  });
}
