import type { Queryable } from "./connection.ts";

const sharp = 250;

/**
 * The database's clock as this process knows it: exact when it was just read, otherwise the last
 * reading carried on by the process's own monotonic clock. It never runs back.
 */
export class Clock {
  readonly #maxAge: number;
  #last = 0;
  #offset = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;

  constructor(maxAge: number) {
    this.#maxAge = maxAge;
  }

  async now(database: Queryable): Promise<number> {
    const local = performance.now();
    if (local - this.#measuredAt < this.#maxAge) {
      return this.#advance(Math.floor(local + this.#offset));
    }
    const { rows } = await database.query<{ now: number }>({
      name: "now",
      text: "SELECT holdfast_now() AS now",
    });
    return this.observe(rows[0]?.now ?? 0, local);
  }

  /** Takes a reading whose statement was sent at `sentAt`: it was made about halfway. */
  observe(now: number, sentAt: number): number {
    const received = performance.now();
    // A slow answer says when it was, but not how the two clocks stand to each other.
    const isSharp = received - sentAt < sharp;
    if (isSharp) this.#offset = now - (sentAt + received) / 2;
    this.#measuredAt = isSharp ? received : Number.NEGATIVE_INFINITY;
    return this.#advance(now);
  }

  #advance(now: number): number {
    this.#last = Math.max(this.#last, now);
    return this.#last;
  }
}
