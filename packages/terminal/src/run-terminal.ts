import { join } from "node:path";
import type { Holdfast, Session } from "@holdfast/sdk";
import type { Connection } from "./client-options.ts";
import { hasWork, needsPerson } from "@holdfast/model/wanted-sessions.ts";
import { Client } from "./client.ts";
import { createKeyHandler } from "./keys.ts";
import { Keyboard } from "./screen/keyboard.ts";
import { themes } from "./screen/look.ts";
import type { Theme } from "./screen/look.ts";
import { shortPath } from "./panels/status-line.ts";
import { oneLine } from "./screen/text.ts";
import { openHistory } from "./session/history.ts";

/** A connection to the Holdfast server whose database is in the data folder. */
export interface Opened {
  readonly holdfast: Holdfast;
  /** Lets the session use the model providers of this process's environment. */
  readonly offer: (sessionId: string) => Promise<void>;
  close(): Promise<void>;
}

export interface TerminalOptions {
  /** The real path of the directory to work in. */
  readonly directory: string;
  /** `auto`: a new session, unless the directory's last session is running or waits for a person. */
  readonly start:
    | { readonly kind: "auto" | "latest" }
    | { readonly kind: "session"; readonly sessionId: string };
  /** Folder for the history of prompts. */
  readonly folder: string;
  readonly version: string;
  /** The model that the environment names; null: the server's default. */
  readonly model: string | null;
  /** The agent of new sessions; null: the default agent of the directory. */
  readonly agent: string | null;
  /** True: the session that is open at the start gets this agent too. */
  readonly setsAgent: boolean;
  readonly environment: NodeJS.ProcessEnv;
  /** Screen-reader mode: print lines one after another, and redraw nothing. */
  readonly isPlain: boolean;
  /** Theme named in the config; null: none is named. The environment takes precedence. */
  readonly theme: string | null;
  /** Connects to the server, or starts one. */
  open(events: ConnectionEvents): Promise<Opened>;
}

export interface ConnectionEvents {
  /** Called when the server becomes unreachable, when it turns out to be stopped, and when it is back. */
  readonly onConnection: (connection: Exclude<Connection, "connecting">) => void;
  /** Called with the `date` header of each response of the server. */
  readonly onDate: (date: string | null) => void;
  /** Called with a message for people, such as that the server has another version. */
  readonly onNote: (text: string) => void;
}

/** Milliseconds between two attempts to open the first connection. */
const retryTime = 1_000;

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

interface TerminalConnection {
  close(): Promise<void>;
}

/**
 * Connects to the server and opens the first session. If the connection is lost, the SDK client connects again, and
 * starts a crashed server again.
 */
function connect(client: Client, options: TerminalOptions): TerminalConnection {
  const opened: Opened[] = [];
  let isOver = false;
  let problem = "";
  /** Prints an error, unless the last attempt has failed with the same one. */
  const report = (error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== problem) client.fail(error);
    problem = message;
  };
  let retry: NodeJS.Timeout | null = null;
  /** True: the user has sent something since the connection was lost. */
  let isWanted = false;
  const onConnection: ConnectionEvents["onConnection"] = (connection) => {
    if (isOver || client.connection === "connecting" || connection === client.connection) return;
    client.connection = connection;
    if (connection === "connected") {
      isWanted = false;
      client.remark("Connected again");
      // A restarted server has lost the model providers that this process had offered from its environment variables.
      // Offer them to the server again.
      client.offers.makeAgain();
    } else if (connection === "away") {
      client.remark(
        "The server is gone. Prompts it has accepted are safe; waiting for a server…",
        "warn",
      );
    } else if (isWanted) {
      void wake();
    } else {
      client.remark(
        "The server was stopped. Prompts it has accepted are safe. The next prompt or command that you send starts a server.",
        "warn",
      );
    }
  };
  const onDate = (date: string | null): void => client.clock.compare(date);
  const onNote = (text: string): void => {
    if (!isOver) client.remark(`${text.charAt(0).toUpperCase()}${text.slice(1)}`, "warn");
  };
  let waking: Promise<void> | null = null;
  const start = async (): Promise<void> => {
    client.connection = "away";
    client.changed();
    try {
      // The SDK client of the first connection finds the started server by itself.
      opened.push(await options.open({ onConnection: () => {}, onDate, onNote }));
      onConnection("connected");
    } catch (error) {
      if (isOver) return;
      client.connection = "stopped";
      isWanted = false;
      client.fail(error);
    } finally {
      waking = null;
    }
  };
  const wake = async (): Promise<void> => {
    if (isOver || client.connection === "connected") return;
    isWanted = true;
    // A server that crashed is started again by the SDK client, and a server that only does not answer may still run.
    if (client.connection === "stopped") waking ??= start();
    await waking;
  };
  const begin = async (): Promise<void> => {
    const first = await options.open({ onConnection, onDate, onNote });
    opened.push(first);
    const [session] = await Promise.all([
      startSession(first.holdfast, options),
      identify(client, first.holdfast),
    ]);
    client.connection = "connected";
    client.connected({ ...first, wake });
    if (session !== null) {
      client.open(session);
      if (options.setsAgent) client.agent.set(options.agent);
    }
    await loadWorkspace(first.holdfast);
  };
  /** Loads the directory's models, agents and commands. Tries again until the server answers. */
  const loadWorkspace = async (holdfast: Holdfast): Promise<void> => {
    try {
      client.workspace = await holdfast.workspaces.get(options.directory);
      problem = "";
      client.changed();
    } catch (error) {
      if (isOver) return;
      report(error);
      retry = setTimeout(() => void loadWorkspace(holdfast), retryTime);
    }
  };
  const tryToBegin = (): void => {
    begin().catch((error: unknown) => {
      if (isOver) return;
      report(error);
      if (client.holdfast === null) retry = setTimeout(tryToBegin, retryTime);
    });
  };
  tryToBegin();
  return {
    close: async () => {
      isOver = true;
      if (retry !== null) clearTimeout(retry);
      await Promise.all(opened.map((one) => one.close()));
    },
  };
}

async function identify(client: Client, holdfast: Holdfast): Promise<void> {
  // If the token's name cannot be read, this user's own actions are shown with the client's name instead of "you".
  const me = await holdfast.me().catch(() => null);
  client.own = me === null ? null : `${me.name}/terminal`;
}

/** Returns the session to open at the start; null: a new session. */
async function startSession(
  holdfast: Holdfast,
  { start, directory }: TerminalOptions,
): Promise<string | null> {
  if (start.kind === "session") return start.sessionId;
  const { items } = await holdfast.sessions.list({ directory, limit: 20 });
  const latest = items.find(({ parent }) => parent === null);
  if (latest === undefined) return null;
  return start.kind === "latest" || isOpen(latest) ? latest.sessionId : null;
}

/** Whether the session runs, will run, or waits for a person. A session that is paused after a failure does not. */
function isOpen(session: Session): boolean {
  return session.status === "held" ? needsPerson(session) : hasWork(session);
}
