import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { dataFolder } from "../../compose/stores.ts";
import { addHelp, exitCodeHelp, readTime, storeOptionWithoutDefault } from "../help-text.ts";
import { onOutputGone } from "../terminal/output-gone.ts";

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
  readonly stopWhenIdle?: number;
}

export function defineServe(program: Command, onDone: (exitCode: number) => void): void {
  addHelp(program.command("serve"), {
    summary: "Run the server and its web page",
    description:
      "Run the server and its web page until Ctrl-C or SIGTERM. Terminals, browsers, editors and programs share its " +
      "sessions. When the server stops, it starts no more prompts and waits for the running ones, at most until " +
      "--deadline. Unfinished prompts continue when the server is started again.",
    examples: ["holdfast serve", "holdfast serve --port 8080 --data ./data"],
    note: exitCodeHelp,
  })
    .addOption(
      new Option(
        "--host <address>",
        "Address to listen on. Read docs/SECURITY.md before you let other machines connect",
      ).default("127.0.0.1"),
    )
    .addOption(
      new Option(
        "--port <number>",
        "Port to listen on (default: 4747, or the next free one)",
      ).argParser(readPort),
    )
    .addOption(
      new Option(
        "--data <folder>",
        "Folder for the server's own files: its access token and the database",
      )
        .argParser((folder: string) => resolve(folder))
        .default(dataFolder(process.env, homedir())),
    )
    .addOption(
      storeOptionWithoutDefault(
        "Database: a file, or postgres://user@host/database (default: a file in the data folder)",
      ),
    )
    .option(
      "-m, --model <name>",
      "Default model of sessions, as provider/name (default: HOLDFAST_MODEL, the config, or the first provider)",
    )
    .addOption(
      new Option(
        "--public-url <url>",
        "URL at which clients reach the server, if it is behind a proxy",
      ).argParser(readUrl),
    )
    .addOption(
      new Option(
        "--allow-origin <origin>",
        "Allow web pages of this origin to send requests to the server; repeatable",
      )
        .argParser((origin: string, origins: string[]) => [...origins, readUrl(origin)])
        .default([], "none"),
    )
    .addOption(
      new Option("--deadline <time>", "Time to wait for running prompts when the server stops")
        .argParser(readTime)
        .default(30_000, "30s"),
    )
    .addOption(
      new Option(
        "--stop-when-idle <time>",
        "Stop the server after this time without work and clients, such as 15m (default: never)",
      ).argParser(readTime),
    )
    .addOption(
      new Option(
        "--lease <time>",
        "If this server stops responding, other servers on its database take over its work after this time, 1s to 1m",
      )
        .argParser(readLease)
        .default(10_000, "10s"),
    )
    .addOption(
      new Option(
        "--max-runs <number>",
        "Maximum number of prompts that run at the same time (default: 64)",
      ).argParser(readCount),
    )
    .addOption(
      new Option(
        "--max-runs-per-directory <number>",
        "Maximum number of prompts that run at the same time in one directory (default: no separate limit)",
      ).argParser(readCount),
    )
    .option(
      "--allow-private-webhooks",
      "Allow webhooks and push messages to reach private networks and this machine",
    )
    .action(async (options: ServeOptions) => {
      const { host, data, deadline } = options;
      // Clients still use a server whose output cannot be written.
      onOutputGone(() => {});
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
        stopWhenIdle: options.stopWhenIdle ?? null,
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
  throw new InvalidArgumentError("The lease must be from 1s to 1m.");
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("The value must be a number from 1 to 99999.");
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("The port must be a number from 0 to 65535.");
}

/** An origin: a URL without a path. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== null && isWeb && `${url.origin}/` === url.href) return url.origin;
  throw new InvalidArgumentError("Write a URL like https://example.org, without a path.");
}
