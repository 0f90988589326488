import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { named, readCount, sessionMeaning } from "./define-clients.ts";
import { examples } from "../help-text.ts";

type AttachOptions = ClientOptions & { readonly tail: number; readonly json?: true };

export function defineAttach(program: Command, onDone: (exitCode: number) => void): void {
  const command = program
    .command("attach")
    .summary("follow a session live, and send it prompts")
    .description(
      "Follow a session live. At a terminal a line that you type is queued as a prompt; /steer and " +
        "/interrupt before it deliver it otherwise, Esc cancels what runs and waits, and questions " +
        "are answered in place. Leaving with Ctrl-D or Ctrl-C leaves the session at work. Needs a server.",
    )
    .argument("[session]", sessionMeaning)
    .option("--tail <number>", "how many of the latest events to begin with", readCount, 50)
    .option("--json", "print one line of JSON for each event instead of text");
  addClientOptions(command)
    .addHelpText("after", examples(["holdfast attach", "holdfast attach session-1234 --tail 50"]))
    .action(async (session: string | undefined, options: AttachOptions) => {
      const { attach } = await import("./attach-command.ts");
      onDone(await attach({ ...options, ...named(session) }));
    });
}
