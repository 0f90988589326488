import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import type { QueueOptions } from "./queue-command.ts";
import type { ClientOptions } from "../client-options.ts";
import { addClientOptions } from "../client-options.ts";
import { addHelp } from "../help-text.ts";

/** Defines the commands that change the queue of a session. */
export function defineQueueCommands(program: Command, onDone: (exitCode: number) => void): void {
  defineQueue(program, onDone);
  defineCancel(program, onDone);
}

export const sessionMeaning = "Session id (default: the newest session of the current directory)";

function defineCancel(program: Command, onDone: (exitCode: number) => void): void {
  const command = addHelp(program.command("cancel"), {
    summary: "Cancel the running prompt and the queue",
    description:
      "Cancel the running prompt and the queue of a session, and print the cancelled prompts. Prompts that are " +
      "sent later are not affected.",
    examples: ["holdfast cancel", "holdfast cancel session-1234 --tree"],
  })
    .argument("[session]", sessionMeaning)
    .option("--prompt <id>", "Cancel only this prompt")
    .option(
      "--up-to <number>",
      "Cancel only prompts accepted up to this event number (acceptSeq in `holdfast prompts --json`)",
      readCount,
    )
    .option("--tree", "Also cancel the background work that the cancelled prompts started")
    .option(
      "--cancel-id <id>",
      "Id of this cancel request, for retries. The same id again cancels nothing more and prints the first result",
    )
    .option("--json", "Print the result as a line of JSON");
  addClientOptions(command).action(async (session: string | undefined, options: CancelOptions) => {
    const { cancelSession } = await import("./queue-command.ts");
    onDone(await cancelSession({ ...options, ...named(session) }));
  });
}

function defineQueue(program: Command, onDone: (exitCode: number) => void): void {
  const queue = addHelp(program.command("queue"), {
    summary: "List and change the waiting prompts of a session",
    description:
      "List the running prompt and the waiting prompts of a session, in the order in which they will start. The " +
      "subcommands change the queue.",
    examples: [
      "holdfast queue",
      "holdfast queue --session session-1234",
      'holdfast queue edit prompt-7 "deploy to staging only"',
      "holdfast queue move prompt-7 --before prompt-3",
      'holdfast queue hold "until the review is done"',
    ],
  })
    .option("--session <id>", sessionMeaning)
    .option("--json", "Print the session and its queue as a line of JSON");
  addClientOptions(queue).action(async (options: QueueOptions) => {
    onDone(await (await import("./queue-command.ts")).showQueue(options));
  });
  const part = (usage: string, summary: string, example: string): Command =>
    addHelp(queue.command(usage), { summary, examples: [`holdfast queue ${example}`] });
  // Options such as --session are defined on `queue`, not on its subcommands.
  const all = (): QueueOptions => queue.opts<QueueOptions>();
  part(
    "edit <prompt> <text>",
    "Change the text of a waiting prompt",
    'edit prompt-7 "deploy to staging only"',
  ).action(async (prompt: string, text: string) => {
    const { editPrompt } = await import("./queue-command.ts");
    onDone(await editPrompt({ ...all(), prompt, text }));
  });
  part(
    "move <prompt>",
    "Move a waiting prompt to another place in the queue",
    "move prompt-7 --before prompt-3",
  )
    .option(
      "--before <id>",
      "Put the prompt before this waiting prompt (default: at the end of the queue)",
    )
    .action(async (prompt: string, options: { before?: string }) => {
      const { movePrompt } = await import("./queue-command.ts");
      onDone(await movePrompt({ ...all(), ...options, prompt }));
    });
  part(
    "promote <prompt>",
    "Stop the running prompt and run a waiting prompt instead",
    "promote prompt-7",
  ).action(async (prompt: string) => {
    const { promotePrompt } = await import("./queue-command.ts");
    onDone(await promotePrompt({ ...all(), prompt }));
  });
  part("withdraw <prompt>", "Cancel one waiting or running prompt", "withdraw prompt-7").action(
    async (prompt: string) => {
      const { withdrawPrompt } = await import("./queue-command.ts");
      onDone(await withdrawPrompt({ ...all(), prompt }));
    },
  );
  part("clear", "Cancel all waiting prompts but not the running one", "clear").action(async () => {
    onDone(await (await import("./queue-command.ts")).clearQueue(all()));
  });
  part(
    "hold [reason]",
    "Pause a session: prompts wait until you resume it with `holdfast queue release`",
    'hold "until the review is done"',
  ).action(async (reason = "held from the command line") => {
    onDone(await (await import("./queue-command.ts")).holdQueue({ ...all(), reason }));
  });
  part(
    "release [hold]",
    "Resume a paused session: remove all pauses, or only the pause with the given id",
    "release",
  ).action(async (hold: string | undefined) => {
    const { releaseQueue } = await import("./queue-command.ts");
    onDone(await releaseQueue(hold === undefined ? all() : { ...all(), hold }));
  });
}

type CancelOptions = ClientOptions & {
  readonly prompt?: string;
  readonly upTo?: number;
  readonly tree?: true;
  readonly cancelId?: string;
  readonly json?: true;
};

export function named(session: string | undefined): { session?: string } {
  return session === undefined ? {} : { session };
}

export function readCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("The value must be a whole number.");
}
