import { createHash, randomUUID } from "node:crypto";
import { Client } from "pg";
import { connectionConfig } from "./connection.ts";
import type { Settings } from "./options.ts";

export interface ChannelOptions {
  readonly settings: Settings;
  /** Stands before the schema's own part of the name: a channel is heard by one store's processes. */
  readonly prefix: string;
  /** Others' texts arrive from now on; what was sent before may have been missed. */
  readonly onOpen: () => void;
  /** Another process's text. */
  readonly onText: (text: string) => void;
}

/**
 * Notifications between the processes on a store, on a connection of its own that is opened again
 * when it breaks. What is sent while it is broken is lost.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #name: string;
  readonly #origin = randomUUID();
  #client: Client | null = null;
  #reconnect: NodeJS.Timeout | null = null;
  #opening: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    const { schema } = options.settings;
    const own = createHash("sha256").update(schema).digest("hex").slice(0, 16);
    this.#name = `${options.prefix}_${own}`;
  }

  /** Resolves when others' texts arrive, or when that has failed for now. */
  async open(): Promise<void> {
    this.#connect();
    await this.#opening;
  }

  /** In one transaction; false when they are lost, or may be. */
  async send(texts: readonly string[]): Promise<boolean> {
    const client = this.#client;
    if (client === null) return false;
    // Of equal ones in a transaction PostgreSQL delivers one: a number makes each its own.
    const payloads = texts.map((text, index) => `${this.#origin}/${index} ${text}`);
    try {
      const text = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
      await client.query({ name: "notify", text, values: [this.#name, payloads] });
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#reconnect !== null) clearTimeout(this.#reconnect);
    await this.#opening;
    await this.#client?.end();
  }

  #connect(): void {
    const client = new Client(connectionConfig(this.#options.settings));
    client.on("error", () => {});
    client.on("end", () => this.#disconnected(client));
    client.on("notification", ({ payload }) => this.#received(payload ?? ""));
    this.#opening = this.#listen(client);
  }

  async #listen(client: Client): Promise<void> {
    try {
      await client.connect();
      // What may be lost waits for no disk, and no commit waits behind it for one.
      await client.query("SET synchronous_commit TO off");
      await client.query(`LISTEN ${this.#name}`);
    } catch {
      await client.end().catch(() => {});
      this.#disconnected(client);
      return;
    }
    this.#client = client;
    this.#options.onOpen();
  }

  #disconnected(client: Client): void {
    if (this.#client === client) this.#client = null;
    else if (this.#client !== null) return;
    if (this.#closed || this.#reconnect !== null) return;
    this.#reconnect = setTimeout(() => {
      this.#reconnect = null;
      this.#connect();
    }, 200);
  }

  #received(payload: string): void {
    const space = payload.indexOf(" ");
    if (!payload.startsWith(this.#origin)) this.#options.onText(payload.slice(space + 1));
  }
}
