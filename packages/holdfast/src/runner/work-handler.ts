import type { Actor } from "../kernel/event.ts";
import type { Store } from "../store/store.ts";

/** Does one kind of exclusive work. While it is at it, it has the session to itself (M8). */
export type WorkHandler = (context: WorkContext) => Promise<unknown>;

/** Which kinds of work this process can do, by name. */
export type WorkHandlers = Readonly<Record<string, WorkHandler>>;

export interface WorkContext {
  readonly store: Store;
  readonly sessionId: string;
  readonly workId: string;
  /** Shown with its writes. */
  readonly fence: number;
  /** Who asked for it. */
  readonly actor: Actor;
  /** What it was asked to do, as it was queued. */
  readonly input: unknown;
  /** It is to stop: end soon. Past the grace time others go on without it. */
  readonly signal: AbortSignal;
  readonly newId: (kind: string) => string;
}

/** What work says at its end; its stored body. */
export type WorkResult<Value = unknown> =
  | { readonly status: "completed"; readonly value: Value }
  /** It could not be done, or not to its end; `message` says why and what is left. */
  | { readonly status: "failed"; readonly code: string; readonly message: string };

/** Ends work as failed, under a code; any other exception has the code `workError`. */
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
