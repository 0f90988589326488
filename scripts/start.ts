import { ensureWeb } from "./build-web/ensure-web.ts";

// `npm start` in a clone: builds the web page if it is stale, then starts the server.
const words = process.argv.slice(2);
const isServing = words.length === 0 || words[0] === "serve" || words[0]?.startsWith("-") === true;
if (isServing) {
  await ensureWeb(new URL("..", import.meta.url).pathname).catch((error: unknown) => {
    console.error(
      "holdfast: the web page could not be built. The server starts without it.",
      error,
    );
  });
}
const { runCli } = await import("../packages/holdfast/src/cli/program.ts");
process.exitCode = await runCli(words.length === 0 ? ["serve"] : words);
