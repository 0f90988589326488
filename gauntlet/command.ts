import { runGauntlet } from "./run-gauntlet.ts";
import { publishedKinds } from "./targets/published.ts";

// The command of the published package: npx holdfast-gauntlet -- my-agent --acp

process.exitCode = await runGauntlet({
  program: "npx holdfast-gauntlet",
  kinds: publishedKinds,
  usual: "acp",
  args: process.argv.slice(2),
});
