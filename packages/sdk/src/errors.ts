/** Every error of this library. `code` is stable; `retryable` says whether trying again can help. */
export abstract class HoldfastError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;
}

/** One that the server itself has told. */
abstract class AnsweredError extends HoldfastError {
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;

  constructor(answer: ServerAnswer) {
    super(answer.message);
    this.code = answer.code;
    this.status = answer.status;
    this.requestId = answer.requestId;
  }
}

/** The server understood the request and said no: the same request will be refused again. */
export class Refused extends AnsweredError {
  override readonly name = "Refused";
  readonly retryable = false;
  /** What the caller needs to go on; its shape depends on the code. */
  readonly details: unknown;

  constructor(answer: ServerAnswer) {
    super(answer);
    this.details = answer.details;
  }
}

/** The server asked to come back later (429, 503), for longer than the caller's patience. */
export class Unavailable extends AnsweredError {
  override readonly name = "Unavailable";
  readonly retryable = true;
  /** Milliseconds after which the server wants to be asked again, if it said so. */
  readonly retryAfter: number | null;

  constructor(answer: ServerAnswer, options: { retryAfter: number | null }) {
    super(answer);
    this.retryAfter = options.retryAfter;
  }
}

/** No answer came: the network, or a server that is gone. What was sent may or may not have arrived. */
export class Unreachable extends HoldfastError {
  override readonly name = "Unreachable";
  readonly code = "unreachable";
  readonly retryable = true;
}

/** The server failed: a bug of its own. The request id leads to its log. */
export class ServerFailed extends AnsweredError {
  override readonly name = "ServerFailed";
  readonly retryable = false;
}

/** What answered does not speak as a Holdfast server does. */
export class BadAnswer extends HoldfastError {
  override readonly name = "BadAnswer";
  readonly code = "badAnswer";
  readonly retryable = false;
}

/** The caller's AbortSignal fired; its reason is the cause. What the server took on goes on there. */
export class Aborted extends HoldfastError {
  override readonly name = "Aborted";
  readonly code = "aborted";
  readonly retryable = false;

  constructor(signal: AbortSignal) {
    super("the call was aborted by its signal", { cause: signal.reason });
  }
}

/** What an answer that is no success says of itself. */
export interface ServerAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly details: unknown;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Aborted(signal);
}
