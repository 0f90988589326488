import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { QueueOptions } from "./queue-command.ts";
import type { ClientOptions } from "../client-options.ts";
import { addClientOptions } from "../client-options.ts";
import { examples } from "../help-text.ts";

const roles = ["observe", "propose", "prompt", "admin"] as const;

/** Commands about sessions at work and the server that works on them. */
export function defineClientCommands(program: Command, onDone: (exitCode: number) => void): void {
  defineCancel(program, onDone);
  defineQueue(program, onDone);
  defineServer(program, onDone);
  defineToken(program, onDone);
}

export const sessionMeaning = "the session's id; the newest one of the current folder if left out";

function defineCancel(program: Command, onDone: (exitCode: number) => void): void {
  const command = program
    .command("cancel")
    .summary("cancel what a session runs and has waiting")
    .description(
      "Cancel what a session runs and has waiting at this moment, and print exactly what that was. " +
        "What is sent afterwards is left alone.",
    )
    .argument("[session]", sessionMeaning)
    .option("--prompt <id>", "this prompt alone")
    .option("--up-to <number>", "only prompts accepted up to this acceptSeq", readCount)
    .option("--tree", "Also cancel all background work below it")
    .option("--cancel-id <id>", "the cancel's id: sending it twice is sending it once")
    .option("--json", "print the receipt as one line of JSON");
  addClientOptions(command)
    .addHelpText("after", examples(["holdfast cancel", "holdfast cancel session-1234 --tree"]))
    .action(async (session: string | undefined, options: CancelOptions) => {
      const { cancelSession } = await import("./cancel-command.ts");
      onDone(await cancelSession({ ...options, ...named(session) }));
    });
}

function defineQueue(program: Command, onDone: (exitCode: number) => void): void {
  const queue = program
    .command("queue")
    .summary("show what waits in a session, and change it")
    .description("Show what a session runs and has waiting, in the order in which it will start.")
    .option("--session <id>", sessionMeaning)
    .option("--json", "print the session as one line of JSON");
  addClientOptions(queue)
    .addHelpText(
      "after",
      examples([
        "holdfast queue",
        'holdfast queue edit prompt-7 "deploy to staging only"',
        "holdfast queue move prompt-7 --before prompt-3",
        'holdfast queue hold "until the review is done"',
      ]),
    )
    .action(async (options: QueueOptions) => {
      onDone(await (await import("./queue-command.ts")).showQueue(options));
    });
  const part = (name: string, summary: string): Command => queue.command(name).summary(summary);
  // What stands before the subcommand, such as --session, is the queue's own.
  const all = (): QueueOptions => queue.opts<QueueOptions>();
  part("edit <prompt> <text>", "give a waiting prompt other words").action(
    async (prompt: string, text: string) => {
      const { editPrompt } = await import("./queue-command.ts");
      onDone(await editPrompt({ ...all(), prompt, text }));
    },
  );
  part("move <prompt>", "move a waiting prompt, to the end if nothing is named")
    .option("--before <id>", "to the place before this one")
    .action(async (prompt: string, options: { before?: string }) => {
      const { movePrompt } = await import("./queue-command.ts");
      onDone(await movePrompt({ ...all(), ...options, prompt }));
    });
  part("promote <prompt>", "run a waiting prompt next, and stop the active run for it").action(
    async (prompt: string) => {
      const { promotePrompt } = await import("./queue-command.ts");
      onDone(await promotePrompt({ ...all(), prompt }));
    },
  );
  part("withdraw <prompt>", "cancel one prompt").action(async (prompt: string) => {
    const { withdrawPrompt } = await import("./queue-command.ts");
    onDone(await withdrawPrompt({ ...all(), prompt }));
  });
  part("clear", "cancel what waits, and leave the active run alone").action(async () => {
    onDone(await (await import("./queue-command.ts")).clearQueue(all()));
  });
  part("hold [reason]", "accept prompts and start nothing").action(
    async (reason = "held from the command line") => {
      onDone(await (await import("./queue-command.ts")).holdQueue({ ...all(), reason }));
    },
  );
  part("release [hold]", "let it go on: one hold, or all of them").action(
    async (hold: string | undefined) => {
      const { releaseQueue } = await import("./queue-command.ts");
      onDone(await releaseQueue(hold === undefined ? all() : { ...all(), hold }));
    },
  );
}

function defineServer(program: Command, onDone: (exitCode: number) => void): void {
  const status = program
    .command("status")
    .summary("show what the server is at")
    .option("--json", "print it as one line of JSON");
  addClientOptions(status).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).showStatus(options));
  });
  const nodes = program
    .command("nodes")
    .summary("list the nodes on the server's store, with the lanes that each owns")
    .option("--json", "print it as one line of JSON");
  addClientOptions(nodes).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./nodes-command.ts")).listNodes(options));
  });
  const stop = program
    .command("stop")
    .summary("stop the server: active runs get their time, the rest is handed over")
    .option("--json", "print it as one line of JSON");
  addClientOptions(stop).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).stopServer(options));
  });
  const link = program
    .command("link")
    .summary("print a link that opens the server's web page, once")
    .option("--json", "print it as one line of JSON");
  addClientOptions(link).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).makeLink(options));
  });
}

function defineToken(program: Command, onDone: (exitCode: number) => void): void {
  const token = program
    .command("token")
    .summary("make, list and revoke tokens for other clients of the server");
  const create = token
    .command("create <name>")
    .summary("print a new token; its name is the actor of all that is done with it")
    .addOption(new Option("--role <role>", "what it may do").choices(roles).default("prompt"))
    .addOption(
      new Option("--dir, --directory <folder>", "only sessions in and below it; may be repeated")
        .argParser((folder: string, folders: string[]) => [...folders, folder])
        .default([], "all"),
    )
    .addOption(
      new Option("--expires <duration>", "refuse it after this time: 12h, 30d").argParser(lifetime),
    )
    .option("--json", "print it as one line of JSON");
  addClientOptions(create)
    .addHelpText(
      "after",
      examples([
        "holdfast token create phone --role prompt --dir ~/project",
        "holdfast token create guest --role observe --expires 7d",
      ]),
    )
    .action(async (name: string, options: TokenOptions) => {
      onDone(await (await import("./server-command.ts")).createToken({ ...options, name }));
    });
  const list = token
    .command("list")
    .summary("list tokens and signed-in browsers, with their last use")
    .option("--json", "print one line of JSON for each");
  addClientOptions(list).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).listTokens(options));
  });
  const revoke = token
    .command("revoke <token>")
    .summary("revoke a token or a browser, and all browsers signed in with it")
    .option("--json", "print it as one line of JSON");
  addClientOptions(revoke).action(async (id: string, options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).revokeToken({ ...options, token: id }));
  });
}

type CancelOptions = ClientOptions & {
  readonly prompt?: string;
  readonly upTo?: number;
  readonly tree?: true;
  readonly cancelId?: string;
  readonly json?: true;
};

type TokenOptions = ClientOptions & {
  readonly role: (typeof roles)[number];
  readonly directory: readonly string[];
  readonly expires?: number;
  readonly json?: true;
};

export function named(session: string | undefined): { session?: string } {
  return session === undefined ? {} : { session };
}

/** Milliseconds. */
function lifetime(text: string): number {
  const [, amount = "0", unit = "d"] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * ({ m: 60_000, h: 3_600_000 }[unit] ?? 86_400_000);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("Write a time like 30m, 12h or 30d.");
}

export function readCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
