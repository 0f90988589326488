import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { QueueOptions } from "./queue-command.ts";
import type { ClientOptions } from "../client-options.ts";
import { addClientOptions } from "../client-options.ts";
import { addHelp } from "../help-text.ts";

const roles = ["observe", "propose", "prompt", "admin"] as const;

/** Defines the commands for running sessions and for the server. */
export function defineClientCommands(program: Command, onDone: (exitCode: number) => void): void {
  defineCancel(program, onDone);
  defineQueue(program, onDone);
  defineServer(program, onDone);
  defineToken(program, onDone);
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
      "Cancel only prompts with an acceptSeq up to this number",
      readCount,
    )
    .option("--tree", "Also cancel the background work that these prompts started")
    .option("--cancel-id <id>", "Id of the cancel; sending the same id twice cancels once")
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
    .option("--json", "Print the session as a line of JSON");
  addClientOptions(queue).action(async (options: QueueOptions) => {
    onDone(await (await import("./queue-command.ts")).showQueue(options));
  });
  const part = (usage: string, summary: string, example: string): Command =>
    addHelp(queue.command(usage), { summary, examples: [`holdfast queue ${example}`] });
  // Options before the subcommand, such as --session, belong to `queue`.
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
    .option("--before <id>", "Move it before this prompt (default: to the end)")
    .action(async (prompt: string, options: { before?: string }) => {
      const { movePrompt } = await import("./queue-command.ts");
      onDone(await movePrompt({ ...all(), ...options, prompt }));
    });
  part(
    "promote <prompt>",
    "Stop the running prompt and run a waiting one instead",
    "promote prompt-7",
  ).action(async (prompt: string) => {
    const { promotePrompt } = await import("./queue-command.ts");
    onDone(await promotePrompt({ ...all(), prompt }));
  });
  part("withdraw <prompt>", "Cancel one prompt", "withdraw prompt-7").action(
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
    "Pause a session: prompts wait in the queue and no run starts",
    'hold "until the review is done"',
  ).action(async (reason = "held from the command line") => {
    onDone(await (await import("./queue-command.ts")).holdQueue({ ...all(), reason }));
  });
  part(
    "release [hold]",
    "Resume a paused session: remove the named hold, or all holds",
    "release",
  ).action(async (hold: string | undefined) => {
    const { releaseQueue } = await import("./queue-command.ts");
    onDone(await releaseQueue(hold === undefined ? all() : { ...all(), hold }));
  });
}

function defineServer(program: Command, onDone: (exitCode: number) => void): void {
  const status = addHelp(program.command("status"), {
    summary: "Show server status",
    description: "Show the state of the server: address, model, active runs, queues and warnings.",
    examples: ["holdfast status", "holdfast status --json"],
  }).option("--json", "Print the status as a line of JSON");
  addClientOptions(status).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).showStatus(options));
  });
  const nodes = addHelp(program.command("nodes"), {
    summary: "List the servers that share the database",
    description:
      "List the servers (nodes) that share the database, with the sessions that each one is working on.",
    examples: ["holdfast nodes"],
  }).option("--json", "Print the list as a line of JSON");
  addClientOptions(nodes).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).listNodes(options));
  });
  const stop = addHelp(program.command("stop"), {
    summary: "Stop the server",
    description:
      "Stop the server. It starts no more prompts, waits for running ones until its --deadline, and leaves the " +
      "rest to the next start.",
    examples: ["holdfast stop"],
  }).option("--json", "Print the result as a line of JSON");
  addClientOptions(stop).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).stopServer(options));
  });
  const link = addHelp(program.command("link"), {
    summary: "Print a link that signs a browser in",
    description:
      "Print a link to the server's web page. It signs a browser in, works once, and expires after 5 minutes.",
    examples: ["holdfast link"],
  }).option("--json", "Print the link as a line of JSON");
  addClientOptions(link).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).makeLink(options));
  });
}

function defineToken(program: Command, onDone: (exitCode: number) => void): void {
  const token = addHelp(program.command("token"), {
    summary: "Create, list and revoke access tokens",
    description: "Create, list and revoke the tokens that other programs need to use the server.",
    examples: ["holdfast token create phone --role prompt", "holdfast token list"],
  });
  const create = addHelp(token.command("create <name>"), {
    summary: "Create a token and print it once",
    description:
      "Create a token and print it. It cannot be printed again. The history shows the name with everything that " +
      "is done with the token. Roles: observe reads; propose also sends and cancels prompts; prompt also answers " +
      "permission requests; admin does everything.",
    examples: [
      "holdfast token create phone --role prompt --dir ~/project",
      "holdfast token create guest --role observe --expires 7d",
    ],
  })
    .addOption(new Option("--role <role>", "Role of the token").choices(roles).default("prompt"))
    .addOption(
      new Option(
        "--dir, --directory <folder>",
        "Limit the token to sessions in this directory; repeatable",
      )
        .argParser((folder: string, folders: string[]) => [...folders, folder])
        .default([], "all"),
    )
    .addOption(
      new Option(
        "--expires <duration>",
        "Let the token expire after this time, such as 12h or 30d",
      ).argParser(lifetime),
    )
    .option("--json", "Print the token as a line of JSON");
  addClientOptions(create).action(async (name: string, options: TokenOptions) => {
    onDone(await (await import("./server-command.ts")).createToken({ ...options, name }));
  });
  const list = addHelp(token.command("list"), {
    summary: "List tokens and signed-in browsers",
    description:
      "List tokens and signed-in browsers with their role and the time of their last use.",
    examples: ["holdfast token list"],
  }).option("--json", "Print each token as a line of JSON");
  addClientOptions(list).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).listTokens(options));
  });
  const revoke = addHelp(token.command("revoke <token>"), {
    summary: "Revoke a token or sign a browser out",
    description:
      "Revoke a token or sign a browser out. This takes effect at once, and also for browsers that were signed in " +
      "with the token. `holdfast token list` prints the ids.",
    examples: ["holdfast token revoke 3f9c2a"],
  }).option("--json", "Print the token as a line of JSON");
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

/** Parses a duration. Returns milliseconds. */
function lifetime(text: string): number {
  const [, amount = "0", unit = "d"] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * ({ m: 60_000, h: 3_600_000 }[unit] ?? 86_400_000);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("Write a time like 30m, 12h or 30d.");
}

export function readCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("The value must be a whole number.");
}
