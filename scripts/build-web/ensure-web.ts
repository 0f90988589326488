import { join } from "node:path";
import { ensureBuilt } from "../build/ensure-built.ts";

/** What the built page is made of, besides the packages that the lock file names. */
export const webSources = [
  "packages/web/{src,public}/**/*",
  "packages/web/{index.html,vite.config.ts,package.json}",
  "packages/sdk/src/**/*.ts",
  "package-lock.json",
];

/** Builds the web page unless what is there was made of just these files; answers whether it did. */
export function ensureWeb(root: string): Promise<boolean> {
  return ensureBuilt({
    root,
    name: "web",
    folder: join(root, "packages/web/dist"),
    sources: webSources,
    build: async () => {
      // Loaded only when there is something to build.
      const { build } = await import("vite");
      await build({ configFile: join(root, "packages/web/vite.config.ts"), logLevel: "warn" });
    },
  });
}
