import type { Actor } from "../kernel/event.ts";
import type { Store } from "../store/store.ts";

/** Executes one kind of exclusive operation, such as an undo. Nothing else runs in the session meanwhile (M8). */
export type WorkHandler = (context: WorkContext) => Promise<unknown>;

/** The kinds of work that this process can do, by name. */
export type WorkHandlers = Readonly<Record<string, WorkHandler>>;

export interface WorkContext {
  readonly store: Store;
  readonly sessionId: string;
  readonly workId: string;
  /** Fence from the start of the work. Every write of the work carries it. */
  readonly fence: number;
  /** The actor that requested the work. */
  readonly actor: Actor;
  /** The queued input. */
  readonly input: unknown;
  /** Aborts when the work must stop: end soon. After the grace time the lane continues without it. */
  readonly signal: AbortSignal;
  readonly newId: (kind: string) => string;
}

/** Result of an exclusive operation, as stored. */
export type WorkResult<Value = unknown> =
  | { readonly status: "completed"; readonly value: Value }
  /** The work failed or was not finished; `message` says why and what state it left. */
  | { readonly status: "failed"; readonly code: string; readonly message: string };

/** Ends work as failed with a code. Any other exception gets the code `workError`. */
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
