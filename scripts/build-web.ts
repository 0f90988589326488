import { ensureWeb } from "./build-web/ensure-web.ts";
import { showHelp } from "./read-arguments.ts";

showHelp(`npm run build:web

Builds the web page if its sources have changed since the last build.`);

const root = new URL("..", import.meta.url).pathname;
console.log(
  (await ensureWeb(root)) ? "built packages/web/dist" : "packages/web/dist is up to date",
);
