import { runGauntlet } from "./run-gauntlet.ts";
import { allKinds } from "./targets/all.ts";

// The gauntlet in this repository, which also tests Holdfast: npm run gauntlet

process.exitCode = await runGauntlet({
  program: "npm run gauntlet --",
  kinds: allKinds,
  usual: "holdfast",
  args: process.argv.slice(2),
});
