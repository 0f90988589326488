import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { ClientOptions } from "../client-options.ts";
import { addClientOptions } from "../client-options.ts";
import { addHelp } from "../help-text.ts";
import { defineMaintenance } from "./define-maintenance.ts";

const roles = ["observe", "propose", "prompt", "admin"] as const;

/** Defines the commands that inspect and change a running server. */
export function defineServer(program: Command, onDone: (exitCode: number) => void): void {
  const server = addHelp(program.command("server"), {
    summary: "Inspect, stop and reload the server, and manage its access tokens",
    description:
      "Inspect, stop and reload the server that uses the database, and manage the access tokens for other programs. The first " +
      "command that needs a server starts one in the background; `holdfast serve` runs one in the foreground.",
    examples: ["holdfast server status", "holdfast server stop"],
  });
  defineStatus(server, onDone);
  defineMaintenance(server, onDone);
  defineToken(server, onDone);
}

function defineStatus(server: Command, onDone: (exitCode: number) => void): void {
  const status = addHelp(server.command("status"), {
    summary: "Show server status",
    description: "Show the status of the server: address, model, active runs, queues and warnings.",
    examples: ["holdfast server status", "holdfast server status --json"],
  }).option("--json", "Print the status as a line of JSON");
  addClientOptions(status).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).showStatus(options));
  });
  const nodes = addHelp(server.command("nodes"), {
    summary: "List the servers that share the database",
    description:
      "List the servers (nodes) that share the database, with the sessions that each one is working on.",
    examples: ["holdfast server nodes"],
  }).option("--json", "Print the list as a line of JSON");
  addClientOptions(nodes).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).listNodes(options));
  });
  const stop = addHelp(server.command("stop"), {
    summary: "Stop the server",
    description:
      "Stop the server. The server starts no more prompts and waits for the running ones, at most until its --deadline. " +
      "Unfinished prompts continue when the server is started again.",
    examples: ["holdfast server stop"],
  }).option("--json", "Print the result as a line of JSON");
  addClientOptions(stop).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).stopServer(options));
  });
}

export function defineLink(program: Command, onDone: (exitCode: number) => void): void {
  const link = addHelp(program.command("link"), {
    summary: "Print a link that signs a browser in",
    description:
      "Print a link to the server's web page. The link signs a browser in, works once, and expires after 5 minutes.",
    examples: ["holdfast link"],
  }).option("--json", "Print the link as a line of JSON");
  addClientOptions(link).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).makeLink(options));
  });
}

function defineToken(server: Command, onDone: (exitCode: number) => void): void {
  const token = addHelp(server.command("token"), {
    summary: "Create, list and revoke access tokens",
    description: "Create, list and revoke the tokens that other programs need to use the server.",
    examples: ["holdfast server token create phone --role prompt", "holdfast server token list"],
  });
  const create = addHelp(token.command("create <name>"), {
    summary: "Create a token and print it once",
    description:
      "Create a token and print it. It cannot be printed again. The history of a session shows which token was used for " +
      'each action. Roles: "observe" can read; "propose" can also send and cancel prompts; "prompt" can also answer ' +
      'permission requests; "admin" can do everything.',
    examples: [
      "holdfast server token create phone --role prompt --dir ~/project",
      "holdfast server token create guest --role observe --expires 7d",
    ],
  })
    .addOption(
      new Option("--role <role>", "Role of the token, which decides what the token can be used for")
        .choices(roles)
        .default("prompt"),
    )
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
    examples: ["holdfast server token list"],
  }).option("--json", "Print each token as a line of JSON");
  addClientOptions(list).action(async (options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).listTokens(options));
  });
  const revoke = addHelp(token.command("revoke <token>"), {
    summary: "Revoke a token or sign a browser out",
    description:
      "Revoke a token or sign a browser out. This takes effect at once, and also signs out the browsers that used the " +
      "token to sign in. `holdfast server token list` prints the ids.",
    examples: ["holdfast server token revoke 3f9c2a"],
  }).option("--json", "Print the token as a line of JSON");
  addClientOptions(revoke).action(async (id: string, options: ClientOptions & { json?: true }) => {
    onDone(await (await import("./server-command.ts")).revokeToken({ ...options, token: id }));
  });
}

type TokenOptions = ClientOptions & {
  readonly role: (typeof roles)[number];
  readonly directory: readonly string[];
  readonly expires?: number;
  readonly json?: true;
};

/** Parses a duration. Returns milliseconds. */
function lifetime(text: string): number {
  const [, amount = "0", unit = "d"] = /^(\d{1,4})(m|h|d)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * ({ m: 60_000, h: 3_600_000 }[unit] ?? 86_400_000);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("Write a time like 30m, 12h or 30d.");
}
