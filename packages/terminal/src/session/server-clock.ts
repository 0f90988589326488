import { clockCorrection } from "@holdfast/model/server-clock.ts";

/** The time of the server. Events have times of the server, and the clock of this machine may be wrong. */
export class ServerClock {
  readonly #ownTime: () => number;
  #correction = 0;

  constructor(ownTime: () => number = Date.now) {
    this.#ownTime = ownTime;
  }

  now(): number {
    return this.#ownTime() + this.#correction;
  }

  /** Compares the clocks. `date`: header of a response with the server's time. */
  compare(date: string | null): void {
    this.#correction = clockCorrection(date, { now: this.#ownTime(), before: this.#correction });
  }
}
