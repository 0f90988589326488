import { createHash, randomUUID } from "node:crypto";
import { Client } from "pg";
import type { Signal } from "../store.ts";
import { connectionConfig } from "./connection.ts";
import type { Settings } from "./options.ts";

/** What is committed within this time goes out in one notification. */
const notifyEvery = 10;
/** PostgreSQL takes 8,000 bytes. */
const maxPayload = 7_500;
const everything = "*";

/**
 * Hints that lanes have changed: to this process at once, to others through the database, on a
 * connection of its own that is opened again when it breaks. Commits never wait for it.
 */
export class Signals {
  readonly #settings: Settings;
  readonly #channel: string;
  readonly #origin = randomUUID();
  readonly #listeners = new Set<(signal: Signal) => void>();
  readonly #outgoing = new Map<string, number>();
  #client: Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reconnect: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    const name = createHash("sha256").update(settings.schema).digest("hex").slice(0, 16);
    this.#channel = `holdfast_${name}`;
  }

  /** Resolves when others' signals arrive, or when that has failed for now. */
  async open(): Promise<void> {
    this.#connect();
    await this.#work;
  }

  watch(listener: (signal: Signal) => void): () => void {
    // One function may watch twice; each watch ends by itself.
    const own = (signal: Signal): void => listener(signal);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  changed(sessionId: string, seq: number): void {
    this.#emit({ kind: "lane", sessionId, seq });
    if (this.#closed) return;
    this.#outgoing.set(sessionId, seq);
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#reconnect !== null) clearTimeout(this.#reconnect);
    await this.#work;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      await this.#notify();
    }
    await this.#client?.end();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#work = this.#notify();
    }, notifyEvery);
  }

  /** What changes while a notification is on its way goes out with the next one. */
  async #notify(): Promise<void> {
    const lanes = Array.from(this.#outgoing, ([id, seq]) => `${id}:${seq}`).join(",");
    this.#outgoing.clear();
    const payload = `${this.#origin} ${lanes.length > maxPayload ? everything : lanes}`;
    try {
      const values = [this.#channel, payload];
      await this.#client?.query({ text: "SELECT pg_notify($1, $2)", values });
    } catch {
      // A hint that fails is lost: whoever needs the change finds it by looking.
    }
    this.#timer = null;
    if (this.#outgoing.size > 0 && !this.#closed) this.#schedule();
  }

  #connect(): void {
    const client = new Client(connectionConfig(this.#settings));
    client.on("error", () => {});
    client.on("end", () => this.#disconnected(client));
    client.on("notification", ({ payload }) => this.#received(payload ?? ""));
    this.#work = this.#listen(client);
  }

  async #listen(client: Client): Promise<void> {
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
    } catch {
      await client.end().catch(() => {});
      this.#disconnected(client);
      return;
    }
    this.#client = client;
    this.#emit({ kind: "missed" });
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
    const [origin, lanes = ""] = payload.split(" ");
    if (origin === this.#origin) return;
    if (lanes === everything) {
      this.#emit({ kind: "missed" });
      return;
    }
    for (const lane of lanes.split(",")) {
      const colon = lane.lastIndexOf(":");
      const seq = Number(lane.slice(colon + 1));
      this.#emit({ kind: "lane", sessionId: lane.slice(0, colon), seq });
    }
  }

  #emit(signal: Signal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}
