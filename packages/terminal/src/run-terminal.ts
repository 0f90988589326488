import { join } from "node:path";
import { Client } from "./client.ts";
import { createKeyHandler } from "./keys.ts";
import { Keyboard } from "./screen/keyboard.ts";
import { themes } from "./screen/look.ts";
import type { Theme } from "./screen/look.ts";
import { shortPath } from "./panels/status-line.ts";
import { oneLine } from "./screen/text.ts";
import { connect } from "./server-connection.ts";
import type { ConnectOptions } from "./server-connection.ts";
import { openHistory } from "./session/history.ts";

export interface TerminalOptions extends ConnectOptions {
  /** Folder for the history of prompts. */
  readonly folder: string;
  readonly version: string;
  /** The model that the environment names; null: the server's default. */
  readonly model: string | null;
  readonly environment: NodeJS.ProcessEnv;
  /** Screen-reader mode: print lines one after another, and redraw nothing. */
  readonly isPlain: boolean;
  /** Theme named in the config; null: none is named. The environment takes precedence. */
  readonly theme: string | null;
}

/** Runs the terminal client until the person leaves. Resolves with the exit code. */
export async function runTerminal(options: TerminalOptions): Promise<number> {
  const left = Promise.withResolvers<number>();
  const { stdin, stdout } = process;
  const client = new Client({
    directory: options.directory,
    output: outputOf(stdout),
    environment: options.environment,
    theme: themeOf(options),
    isPlain: options.isPlain,
    history: openHistory(join(options.folder, "terminal-history.jsonl")),
    onLeave: () => left.resolve(0),
    onSuspend: () => suspend(),
    lend: (work) => lend(work),
  });
  client.model = options.model;
  client.agent.usual = options.agent;
  const keys = createKeyHandler(client);
  const keyboard = new Keyboard({
    input: stdin,
    write: (text) => stdout.write(text),
    environment: options.environment,
    events: {
      onKey: (key) => {
        client.notifier.noteKey();
        keys.take(key);
      },
      onFocus: (isFocused) => client.notifier.setFocus(isFocused),
      onGone: () => left.resolve(0),
    },
  });
  const resized = (): void => {
    if (client.overlay?.kind === "pager") client.overlay.resize();
    else client.changed();
  };
  const lend = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    client.screen.clear();
    client.isLent = true;
    keyboard.close();
    try {
      return await work();
    } finally {
      client.isLent = false;
      keyboard.open();
      client.changed();
    }
  };
  const suspend = (): void => {
    client.screen.clear();
    client.isLent = true;
    keyboard.close();
    process.once("SIGCONT", () => {
      client.isLent = false;
      keyboard.open();
      client.changed();
    });
    // Stop the process group as the terminal does: a launcher must stop too, or the shell would not get the terminal.
    process.kill(0, "SIGTSTP");
  };
  const leaveBySignal = (): void => left.resolve(0);
  const restore = (): void => {
    client.close();
    keyboard.close();
  };
  for (const signal of leaveSignals) process.on(signal, leaveBySignal);
  process.on("exit", restore);
  stdout.on("resize", resized);
  try {
    client.screen.print(greeting(client, options));
    client.paint();
    keyboard.open();
    const connection = connect(client, options);
    void client.loadHighlight();
    void client.loadHistory();
    const code = await left.promise;
    noteUnsent(client);
    await connection.close();
    return code;
  } finally {
    stdout.off("resize", resized);
    for (const signal of leaveSignals) process.off(signal, leaveBySignal);
    process.off("exit", restore);
    restore();
  }
}

/** Signals that end the client. Ctrl-C is a key of the client; SIGINT comes from another program. */
const leaveSignals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** Prints the prompts that the server has not accepted. The history of the terminal contains them. */
function noteUnsent(client: Client): void {
  const texts = client.outbox.waiting.map(({ text }) => oneLine(text));
  if (texts.length === 0) return;
  const note =
    "Not sent, because there was no connection to the server. Next time, ↑ recalls these prompts:";
  client.remark([note, ...texts].join("\n"), "warn");
}

function outputOf(stdout: NodeJS.WriteStream): {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
} {
  return {
    // Read the size from the terminal: `stdout.columns` is updated only after the resize signal was handled.
    get columns() {
      return stdout.getWindowSize()[0] || 80;
    },
    get rows() {
      return stdout.getWindowSize()[1] || 24;
    },
    write: (text) => {
      stdout.write(text);
    },
  };
}

function themeOf({ environment, theme, isPlain }: TerminalOptions): Theme {
  if (isPlain) return "plain";
  const named = environment["HOLDFAST_THEME"] ?? theme;
  return themes.find((name) => name === named) ?? "auto";
}

function greeting({ look }: Client, { version, directory }: TerminalOptions): string[] {
  return [
    `${look.accent("◆")} ${look.bold("Holdfast")} ${look.dim(`${version} · ${shortPath(directory)}`)}`,
    look.dim("  /help shows keys and commands"),
  ];
}
