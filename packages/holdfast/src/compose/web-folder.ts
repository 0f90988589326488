import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../base/package.ts";

/** Returns the folder of the built web page: in the package, or beside it in a clone of the repository. */
export function webFolder(root: string = packageFolder()): string {
  const own = join(root, "web");
  return existsSync(own) ? own : join(root, "../web/dist");
}

/** Says how to build the web page; null if it has been built. A running server serves the page as soon as it is built. */
export function webPageAdvice(root: string = packageFolder()): string | null {
  if (existsSync(join(webFolder(root), "index.html"))) return null;
  return "the web page has not been built; in the clone, run: npm run build:web";
}
