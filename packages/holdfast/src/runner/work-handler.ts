import type { Actor } from "../kernel/event.ts";
import type { Store } from "../store/store.ts";

/** Executes one kind of exclusive operation, such as an undo. Nothing else runs in the session meanwhile (M8). */
export type WorkHandler = (context: WorkContext) => Promise<unknown>;

/** Handlers of the exclusive operations that this process can execute, by name. */
export type WorkHandlers = Readonly<Record<string, WorkHandler>>;

export interface WorkContext {
  readonly store: Store;
  readonly sessionId: string;
  readonly workId: string;
  /** Fencing token from the start of the operation. Every write of the operation contains it. */
  readonly fence: number;
  /** The actor that requested the operation. */
  readonly actor: Actor;
  /** The input that was queued with the operation. */
  readonly input: unknown;
  /**
   * Aborts when the operation must stop. The handler should then end soon: after the grace period the lane continues
   * without it.
   */
  readonly signal: AbortSignal;
  readonly newId: (kind: string) => string;
}

/** Result of an exclusive operation, in its stored form. */
export type WorkResult<Value = unknown> =
  | { readonly status: "completed"; readonly value: Value }
  /** The operation failed or was not finished; `message` says why, and in which state it left things. */
  | { readonly status: "failed"; readonly code: string; readonly message: string };

/** Thrown by a handler to end the operation as failed with this code. Any other exception gets the code `workError`. */
export class WorkFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "WorkFailure";
    this.code = code;
  }
}

export function failedWork(error: unknown): WorkResult {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof WorkFailure ? error.code : "workError";
  return { status: "failed", code, message };
}
