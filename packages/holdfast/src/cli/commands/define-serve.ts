import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { hideEnvironment } from "../../compose/hidden-environment.ts";
import { dataFolder } from "../../compose/stores.ts";
import { examples, exitCodeHelp, readTime, storeOptionWithoutDefault } from "../help-text.ts";

interface ServeOptions {
  readonly host: string;
  readonly port?: number;
  readonly data: string;
  readonly store?: string;
  readonly model?: string;
  readonly publicUrl?: string;
  readonly allowOrigin: readonly string[];
  readonly deadline: number;
  readonly lease: number;
  readonly maxRuns?: number;
  readonly maxRunsPerDirectory?: number;
  readonly allowPrivateWebhooks?: true;
}

export function defineServe(program: Command, onDone: (exitCode: number) => void): void {
  program
    .command("serve")
    .summary("run the server that any number of clients share")
    .description(
      "Run the server that any number of clients share, until Ctrl-C or SIGTERM: then it starts " +
        "nothing new, gives active runs their time, and hands the rest over to the next start.",
    )
    .addOption(
      new Option(
        "--host <address>",
        "where to listen; beyond this machine read docs/SECURITY.md",
      ).default("127.0.0.1"),
    )
    .addOption(
      new Option("--port <number>", "the port; 4747, or the next free one, if left out").argParser(
        readPort,
      ),
    )
    .addOption(
      new Option("--data <folder>", "the folder for the token and the store")
        .argParser((folder: string) => resolve(folder))
        .default(dataFolder(process.env, homedir())),
    )
    .addOption(
      storeOptionWithoutDefault(
        "the store: a file, or postgres://user@host/database; one in the data folder if left out",
      ),
    )
    .option("--model <name>", "the model, as provider/name; else HOLDFAST_MODEL, else the default")
    .addOption(
      new Option("--public-url <url>", "how browsers reach it through a proxy").argParser(readUrl),
    )
    .addOption(
      new Option("--allow-origin <origin>", "let another site's page call; may be repeated")
        .argParser((origin: string, origins: string[]) => [...origins, readUrl(origin)])
        .default([], "none"),
    )
    .addOption(
      new Option("--deadline <time>", "how long active runs get when it stops")
        .argParser(readTime)
        .default(30_000, "30s"),
    )
    .addOption(
      new Option(
        "--lease <time>",
        "how long it may be silent before other nodes take over, 1s to 1m",
      )
        .argParser(readLease)
        .default(10_000, "10s"),
    )
    .addOption(
      new Option(
        "--max-runs <number>",
        "how many runs it works on at a time; 64 if left out",
      ).argParser(readCount),
    )
    .addOption(
      new Option("--max-runs-per-directory <number>", "and how many in one directory").argParser(
        readCount,
      ),
    )
    .option("--allow-private-webhooks", "let webhooks go to private networks and this machine")
    .addHelpText(
      "after",
      examples(["holdfast serve", "holdfast serve --port 8080 --data ./data"]) + exitCodeHelp,
    )
    .action(async (options: ServeOptions) => {
      await hideEnvironment();
      const { host, data, deadline } = options;
      const { runServer } = await import("../../compose/run-server.ts");
      await runServer({
        host,
        port: options.port ?? null,
        dataFolder: data,
        store: options.store ?? join(data, "holdfast.db"),
        model: options.model ?? null,
        publicUrl: options.publicUrl ?? null,
        allowedOrigins: options.allowOrigin,
        deadline,
        leaseTtl: options.lease,
        ...(options.maxRuns === undefined ? {} : { maxRuns: options.maxRuns }),
        ...(options.maxRunsPerDirectory === undefined
          ? {}
          : { maxRunsPerDirectory: options.maxRunsPerDirectory }),
        allowPrivateWebhooks: options.allowPrivateWebhooks === true,
        environment: process.env,
        home: homedir(),
      });
      onDone(0);
    });
}

function readLease(text: string): number {
  const time = readTime(text);
  if (time >= 1_000 && time <= 60_000) return time;
  throw new InvalidArgumentError("It must be from 1s to 1m.");
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number from 1 to 99999.");
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}

/** An origin: a URL without a path. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== null && isWeb && `${url.origin}/` === url.href) return url.origin;
  throw new InvalidArgumentError("It must be like https://example.org, without a path.");
}
