/** A product under test, reached only through what it offers to everybody. */
export interface Target {
  readonly name: string;
  /** A scenario that needs more than this is not offered, which is not a failure. */
  readonly offers: ReadonlySet<Offer>;
  start(setting: Setting): Promise<RunningTarget>;
}

/**
 * `outcome`: it tells how one prompt has ended. `promptIds`: the sender names a prompt, so that
 * sending it twice is sending it once. `resume`: a subscriber can go on where it was cut off.
 */
export type Offer = "queue" | "cancel" | "outcome" | "promptIds" | "restart" | "resume";

export interface Setting {
  /** For whatever it keeps; empty at first, and the same again after a restart. */
  readonly folder: string;
  /** The project that its sessions work in. */
  readonly directory: string;
  /** A model that speaks OpenAI's chat protocol, and its name. */
  readonly model: { readonly address: string; readonly name: string };
}

/** One running target. Whatever it waits for is bounded by the scenario that asks. */
export interface RunningTarget {
  createSession(): Promise<string>;
  /** Resolves when the target acknowledges the prompt, with the id under which it knows it. */
  submit(sessionId: string, prompt: { text: string; promptId?: string }): Promise<string>;
  /** Cancels all that the session is at and has waiting. */
  cancel(sessionId: string): Promise<void>;
  /** How the prompt has ended; waits for it. */
  ending(prompt: PromptName, signal: AbortSignal): Promise<Ending>;
  /** The session's events after the given id, in order, until the signal aborts. */
  follow(target: FollowTarget): AsyncIterable<Told>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again on what it has kept. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface PromptName {
  readonly sessionId: string;
  readonly promptId: string;
}

export type Ending = "completed" | "failed" | "cancelled";

export interface FollowTarget {
  readonly sessionId: string;
  readonly after: string | null;
  readonly signal: AbortSignal;
}

/** An event as a subscriber was told it. */
export interface Told {
  readonly id: string;
  readonly type: string;
}
