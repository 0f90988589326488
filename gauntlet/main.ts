import { runGauntlet } from "./run-gauntlet.ts";
import { allKinds } from "./targets/all.ts";

// Starts the gauntlet for all targets, including Holdfast: npm run gauntlet

process.exitCode = await runGauntlet({
  program: "npm run gauntlet --",
  kinds: allKinds,
  usual: "holdfast",
  args: process.argv.slice(2),
});
