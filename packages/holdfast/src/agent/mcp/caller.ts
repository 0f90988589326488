import { AsyncLocalStorage } from "node:async_hooks";

/** A tool call of a run, and the handlers for requests that the MCP server sends during the call. */
export interface Caller {
  readonly runId: string;
  /** Asks a person for input. */
  elicit(params: unknown): Promise<ElicitAnswer>;
  /** Calls the run's model on behalf of the MCP server. Throws if the rules or a person deny the call. */
  sample(params: unknown): Promise<SampleAnswer>;
}

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, FieldValue>>;
}

export type FieldValue = string | number | boolean | string[];

export interface SampleAnswer {
  readonly model: string;
  readonly role: "assistant";
  readonly content: { readonly type: "text"; readonly text: string };
  readonly stopReason: "endTurn" | "maxTokens";
}

/** The active calls of one connection. */
export interface Callers {
  /**
   * Sends a caller's request to the server. Before the server answers, it may send a request to the caller, such as a
   * question for the user. While the caller handles the server's request, the timeout of the caller's request is
   * paused.
   */
  run<Result>(caller: ActiveCaller, request: () => Promise<Result>): Promise<Result>;
  /** Returns the caller to which a request of the server belongs. Throws if the caller cannot be determined. */
  current(): ActiveCaller;
}

export interface ActiveCaller {
  readonly caller: Caller;
  /** Pauses the timeout of the request until the returned function is called. */
  readonly pause: () => () => void;
}

/**
 * Finds the call that a server's request belongs to. Over HTTP the request arrives on the stream of its call, so the
 * async context identifies the caller. Over stdio nothing links the two: then all active calls must be of the same run,
 * because a question must not reach the people of another session.
 */
export function createCallers(): Callers {
  const context = new AsyncLocalStorage<ActiveCaller>();
  const active = new Set<ActiveCaller>();
  return {
    run: async (caller, request) => {
      active.add(caller);
      try {
        return await context.run(caller, request);
      } finally {
        active.delete(caller);
      }
    },
    current: () => {
      const exact = context.getStore();
      if (exact !== undefined && active.has(exact)) return exact;
      const [first, ...others] = [...active].toReversed();
      if (first === undefined)
        throw new Error("the MCP server asked for input although no tool call is active");
      if (others.every(({ caller }) => caller.runId === first.caller.runId)) return first;
      throw new Error(
        "the MCP server asked for input while several sessions were using it, so it is unknown which one to ask",
      );
    },
  };
}
