import type { Refusal } from "../kernel/refusal.ts";

/**
 * The runtime refused a command. `refusal.code` says why, and the message says what to do.
 *
 * @example
 * try {
 *   await runtime.prompt({ sessionId: "missing", text: "hello" });
 * } catch (error) {
 *   if (error instanceof CommandRefused) console.error(error.refusal.code); // unknownSession
 * }
 */
export class CommandRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "CommandRefused";
    this.refusal = refusal;
  }
}
