import { ensureWeb } from "./build-web/ensure-web.ts";

// `npm start` in a clone runs `holdfast serve` with the given options, and first builds the web page if it is stale. If
// the first argument does not begin with a dash, it is the command to run instead of `serve`.
const words = process.argv.slice(2);
const command = words[0]?.startsWith("-") === false ? words : ["serve", ...words];
if (command[0] === "serve" && !command.includes("--help")) {
  await ensureWeb(new URL("..", import.meta.url).pathname).catch((error: unknown) => {
    console.error(
      "holdfast: the web page could not be built. The server starts without it.",
      error,
    );
  });
}
const { runCli } = await import("../packages/holdfast/src/cli/program.ts");
process.exitCode = await runCli(command);
