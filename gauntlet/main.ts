import { runGauntlet } from "./run-gauntlet.ts";
import { allKinds } from "./targets/all.ts";

// Runs the gauntlet, a test suite that checks how agents handle failures, on Holdfast or on other agents: npm run
// gauntlet

process.exitCode = await runGauntlet({
  program: "npm run gauntlet --",
  kinds: allKinds,
  usual: "holdfast",
  args: process.argv.slice(2),
});
