import { createHash } from "node:crypto";
import type { Client } from "pg";
import { repeat } from "../../base/repeat.ts";
import type { Repeated } from "../../base/repeat.ts";
import { systemClock } from "../../base/time.ts";
import type { Clock, Timer } from "../../base/time.ts";
import { StoreClient, connectionConfig, prepareConnection } from "./connection.ts";
import { isConnectionLost } from "./errors.ts";
import type { Settings } from "./options.ts";
import { createOpener, createSealer } from "./seal.ts";

export interface ChannelOptions {
  readonly settings: Settings;
  /** The store's secret key, to encrypt and decrypt texts. */
  readonly key: Uint8Array;
  readonly prefix: "holdfast_lanes" | "holdfast_deltas";
  /** Called when the connection is open: texts from other processes arrive from now on. Earlier texts may be lost. */
  readonly onOpen: () => void;
  /** Called with a text from another process. Must return false if the text cannot be parsed. */
  readonly onText: (text: string) => boolean;
  /** Called when a notification was ignored because it was forged, repeated or unreadable. */
  readonly onRejected: () => void;
  readonly clock?: Clock;
}

/**
 * Milliseconds between two checks that the database still answers. A process that only listens would not notice that
 * the network has silently dropped its connection.
 */
const checkEvery = 30_000;
/** Milliseconds after which a lost connection is replaced. */
const reconnectAfter = 200;

/** Builds the channel's name. It is public: any role that may connect to the database can listen and send. */
export function channelName({ prefix, schema }: { prefix: string; schema: string }): string {
  return `${prefix}_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`;
}

/**
 * Encrypted notifications between the processes on a store (seal.ts). The channel uses its own connection and
 * reconnects if that connection breaks or no longer answers. Texts sent in between are lost.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #name: string;
  readonly #unseal: ReturnType<typeof createOpener>;
  readonly #clock: Clock;
  /** The client of the connection that is open or being opened. */
  #client: Client | null = null;
  #connection: Connection | null = null;
  #reconnect: Timer | null = null;
  #checking: Repeated | null = null;
  #opening: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    const { prefix, key, settings, clock = systemClock } = options;
    this.#clock = clock;
    this.#name = channelName({ prefix, schema: settings.schema });
    this.#unseal = createOpener({ key, channel: this.#name });
  }

  /** Resolves when the connection is open, or when the attempt has failed. */
  async open(): Promise<void> {
    this.#checking = repeat({
      work: () => this.#check(),
      first: checkEvery,
      every: checkEvery,
      onError: () => {},
      clock: this.#clock,
    });
    this.#connect();
    await this.#opening;
  }

  /** Sends the texts in one transaction. Returns false if they may be lost. */
  async send(texts: readonly string[]): Promise<boolean> {
    if (this.#connection === null) return false;
    const { client, seal } = this.#connection;
    try {
      const text = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
      await client.query({ name: "notify", text, values: [this.#name, texts.map(seal)] });
      return true;
    } catch (error) {
      // The driver would send nothing more on this connection until the lost answer arrives.
      if (isConnectionLost(error)) this.#drop(client);
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reconnect?.cancel();
    await this.#checking?.stop();
    await this.#opening;
    // The end of a connection waits for the database. If the database does not answer, the check drops the connection.
    await this.#check();
    await this.#connection?.client.end();
  }

  #connect(): void {
    const client = new StoreClient(connectionConfig(this.#options.settings));
    this.#client = client;
    // The "end" event follows and opens a new connection. An unhandled error would end the process.
    client.on("error", () => {});
    client.on("end", () => this.#disconnected(client));
    client.on("notification", ({ payload = "", processId }) => {
      if (processId !== this.#connection?.processId) this.#received(payload, processId);
    });
    this.#opening = this.#listen(client);
  }

  async #listen(client: Client): Promise<void> {
    let processId: number;
    try {
      await client.connect();
      await prepareConnection(client, this.#options.settings);
      // Notifications may be lost, so they do not wait for the disk.
      await client.query("SET synchronous_commit TO off");
      // Ask the database for the process id: a connection pooler reports ids of its own.
      const { rows } = await client.query<{ id: number }>("SELECT pg_backend_pid() AS id");
      processId = rows[0]?.id ?? 0;
      await client.query(`LISTEN ${this.#name}`);
    } catch {
      // The connection is broken; a new one will be opened.
      this.#drop(client);
      return;
    }
    const seal = createSealer({ key: this.#options.key, channel: this.#name, processId });
    this.#connection = { client, processId, seal };
    this.#options.onOpen();
  }

  /** Sends nothing, and drops the connection if the database does not answer. */
  async #check(): Promise<void> {
    await this.send([]);
  }

  #drop(client: Client): void {
    // Ignore errors: nothing uses this connection any more.
    void client.end().catch(() => {});
    this.#disconnected(client);
  }

  #disconnected(client: Client): void {
    // The end of a connection that was dropped earlier.
    if (this.#client !== client) return;
    this.#client = null;
    this.#connection = null;
    if (this.#closed) return;
    this.#reconnect = this.#clock.after(reconnectAfter, () => {
      this.#reconnect = null;
      this.#connect();
    });
  }

  #received(payload: string, processId: number): void {
    const text = this.#unseal(payload, processId);
    if (text === null || !this.#options.onText(text)) this.#options.onRejected();
  }
}

interface Connection {
  readonly client: Client;
  /** Process id of the database backend of this connection. */
  readonly processId: number;
  readonly seal: (text: string) => string;
}
