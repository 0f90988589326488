import type { Queryable } from "./connection.ts";

const sharp = 250;

/**
 * An estimate of the database's clock: exact right after a reading, otherwise the last reading plus the time
 * on the process's monotonic clock. It never goes backwards.
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

  /**
   * Records a reading of the database's clock. The reading was made about halfway between `sentAt`, when the
   * statement was sent, and the arrival of the answer.
   */
  observe(now: number, sentAt: number): number {
    const received = performance.now();
    // If the database answered slowly, its time is too imprecise to update the offset between its clock and the local
    // clock.
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
