import type { ErrorCode, ErrorDetails } from "./types.gen.ts";

/**
 * Base class of all errors of this library. `code` is stable, and `retryable` is true if the same call can
 * succeed later.
 *
 * @example
 * try {
 *   await session.prompt("say hello");
 * } catch (error) {
 *   if (error instanceof HoldfastError) console.error(error.code, error.retryable, error.message);
 * }
 */
export abstract class HoldfastError extends Error {
  abstract readonly code: AnsweredCode | "unreachable" | "badAnswer" | "aborted";
  abstract readonly retryable: boolean;
}

/** A code of the server, or `http404` and the like if a proxy answered in its place. */
export type AnsweredCode = ErrorCode | HttpCode;
export type HttpCode = `http${number}`;

/** The details of an error code; codes without details have an empty object. */
export type DetailsOf<Code extends AnsweredCode> = Code extends keyof ErrorDetails
  ? ErrorDetails[Code]
  : Readonly<Record<string, never>>;

abstract class AnsweredError extends HoldfastError {
  readonly code: AnsweredCode;
  readonly status: number;
  readonly requestId: string | null;

  constructor(answer: ServerAnswer) {
    super(answer.message);
    this.code = answer.code;
    this.status = answer.status;
    this.requestId = answer.requestId;
  }
}

class RefusedError extends AnsweredError {
  override readonly name = "Refused";
  readonly retryable = false;
  readonly details: object;

  constructor(answer: ServerAnswer) {
    super(answer);
    this.details = answer.details;
  }
}

/**
 * The server refused the request and would refuse it again. `code` decides the type of `details`.
 *
 * @example
 * try {
 *   await prompt.edit("say goodbye");
 * } catch (error) {
 *   if (!(error instanceof Refused)) throw error;
 *   if (error.code === "staleRevision") console.log("changed meanwhile:", error.details.revision);
 *   else if (error.code === "takenIn") console.log("already in run", error.details.runId);
 *   else throw error;
 * }
 */
export type Refused = { [Code in AnsweredCode]: RefusedWith<Code> }[AnsweredCode];

/** A refusal with one code. */
export type RefusedWith<Code extends AnsweredCode> = RefusedError & {
  readonly code: Code;
  readonly details: DetailsOf<Code>;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server's contract ties details to codes
export const Refused = RefusedError as unknown as {
  new (answer: ServerAnswer): Refused;
  readonly prototype: Refused;
};

/**
 * The server asked the client to try again later (429, 503), but `patience` ended before the next attempt.
 *
 * @example
 * try {
 *   await holdfast.status({ patience: 0 });
 * } catch (error) {
 *   if (error instanceof Unavailable) console.log("try again in", error.retryAfter, "ms");
 * }
 */
export class Unavailable extends AnsweredError {
  override readonly name = "Unavailable";
  readonly retryable = true;
  /** Milliseconds until the server wants the next request; null if the server named no time. */
  readonly retryAfter: number | null;

  constructor(answer: ServerAnswer, options: { retryAfter: number | null }) {
    super(answer);
    this.retryAfter = options.retryAfter;
  }
}

/**
 * No answer arrived before `patience` ended. The server may or may not have received the request.
 *
 * @example
 * try {
 *   await session.prompt("say hello", { promptId: "hello-1" });
 * } catch (error) {
 *   // Safe to send again with the same id, now or after a restart of this program.
 *   if (error instanceof Unreachable) console.log("no server:", error.message);
 * }
 */
export class Unreachable extends HoldfastError {
  override readonly name = "Unreachable";
  readonly code = "unreachable";
  readonly retryable = true;
}

/**
 * The server failed because of a bug. Search its log for the request id.
 *
 * @example
 * if (error instanceof ServerFailed) console.error("see the server's log:", error.requestId);
 */
export class ServerFailed extends AnsweredError {
  override readonly name = "ServerFailed";
  readonly retryable = false;
}

/**
 * The answer did not come from a Holdfast server. Check the `url` of `connect`.
 *
 * @example
 * if (error instanceof BadAnswer) console.error("not a Holdfast server:", error.message);
 */
export class BadAnswer extends HoldfastError {
  override readonly name = "BadAnswer";
  readonly code = "badAnswer";
  readonly retryable = false;
}

/**
 * The caller's AbortSignal fired; `cause` is its reason. Work that the server has accepted continues.
 *
 * @example
 * const signal = AbortSignal.timeout(1_000);
 * try {
 *   await prompt.settled({ signal });
 * } catch (error) {
 *   if (error instanceof Aborted) console.log("stopped waiting; the prompt still runs");
 * }
 */
export class Aborted extends HoldfastError {
  override readonly name = "Aborted";
  readonly code = "aborted";
  readonly retryable = false;

  constructor(signal: AbortSignal) {
    super("the call was aborted by its signal", { cause: signal.reason });
  }
}

/** The parts of an error answer. */
export interface ServerAnswer {
  readonly status: number;
  readonly code: AnsweredCode;
  readonly message: string;
  readonly requestId: string | null;
  readonly details: object;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Aborted(signal);
}
