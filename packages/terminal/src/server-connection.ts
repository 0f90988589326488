import type { Holdfast, Session } from "@holdfast/sdk";
import { hasWork, needsPerson } from "@holdfast/model/wanted-sessions.ts";
import type { Connection } from "./client-options.ts";
import type { Client } from "./client.ts";

/** A connection to the Holdfast server whose database is in the data folder. */
export interface Opened {
  readonly holdfast: Holdfast;
  /** Lets the session use the model providers of this process's environment. */
  readonly offer: (sessionId: string) => Promise<void>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** The real path of the directory to work in. */
  readonly directory: string;
  /** `auto`: a new session, unless the directory's last session is running or waits for a person. */
  readonly start:
    | { readonly kind: "auto" | "latest" }
    | { readonly kind: "session"; readonly sessionId: string };
  /** The agent of new sessions; null: the default agent of the directory. */
  readonly agent: string | null;
  /** True: the session that is open at the start gets this agent too. */
  readonly setsAgent: boolean;
  /** Connects to the server, or starts one. */
  open(events: ConnectionEvents): Promise<Opened>;
}

export interface ConnectionEvents {
  /** Called when the server becomes unreachable, when it is back, and for each request that finds it stopped. */
  readonly onConnection: (connection: Exclude<Connection, "connecting">) => void;
  /** Called with the `date` header of each response of the server. */
  readonly onDate: (date: string | null) => void;
  /** Called with a message for people, such as that the server has another version. */
  readonly onNote: (text: string) => void;
}

/** Milliseconds between two attempts to open the first connection. */
const retryTime = 1_000;

export interface ServerConnection {
  close(): Promise<void>;
}

/**
 * Connects to the server and opens the first session. If the connection is lost, the SDK client connects again, and
 * starts a crashed server again.
 */
export function connect(client: Client, options: ConnectOptions): ServerConnection {
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
  let waking: Promise<void> | null = null;
  const onConnection: ConnectionEvents["onConnection"] = (connection) => {
    if (isOver || client.connection === "connecting" || connection === client.connection) return;
    // While a server starts, requests still learn that the old one has ended.
    if (connection === "stopped" && waking !== null) return;
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
    } else if (isWanted || client.outbox.waiting.length > 0) {
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
  { start, directory }: ConnectOptions,
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
