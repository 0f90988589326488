import { Option } from "commander";
import type { Command } from "commander";
import { examples, readTime, storeOption } from "../help-text.ts";
import type { AcpInput } from "../acp/acp-command.ts";

export function defineAcp(program: Command, onDone: (exitCode: number) => void): void {
  program
    .command("acp")
    .summary("be the agent of an editor, over stdin and stdout")
    .description(
      "Be the agent of an editor that speaks the Agent Client Protocol, such as Zed, JetBrains' or Emacs: " +
        "editors start this command themselves. The server on the store does the work, and one is " +
        "started where there is none; when the editor goes away, its sessions go on.",
    )
    .addOption(storeOption())
    .addOption(
      new Option("--server <url>", "a server elsewhere; its token is taken from HOLDFAST_TOKEN"),
    )
    .addOption(
      new Option("--patience <time>", "how long to wait for a server that is away")
        .argParser(readTime)
        .default(60_000, "1m"),
    )
    .addHelpText("after", examples(["holdfast acp", "holdfast acp --server https://build:4747"]))
    .action(async (options: AcpInput) => {
      onDone(await (await import("../acp/acp-command.ts")).speakAcp(options));
    });
}
