import type { Refusal } from "../kernel/refusal.ts";

/** A command was refused: `refusal.code` says why, its message what to do. */
export class CommandRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "CommandRefused";
    this.refusal = refusal;
  }
}
