import { call } from "./call.ts";
import { concernsOf } from "./concerns.ts";
import { Refused } from "./errors.ts";
import { newId } from "./ids.ts";
import { sessionStream } from "./session-stream.ts";
import type { SessionEventsOptions, SessionItem } from "./session-stream.ts";
import { untilSettled } from "./settled.ts";
import type { Settled } from "./settled.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Prompt, Receipt } from "./types.gen.ts";

/**
 * A prompt of a session.
 *
 * @example
 * const prompt = holdfast.session("session-4f2a").promptById("prompt-91c0");
 * const { status, text } = await prompt.settled();
 */
export interface PromptHandle {
  readonly sessionId: string;
  readonly promptId: string;
  /** Returns the prompt with its current state. */
  get(options?: CallOptions): Promise<Prompt>;
  /** Follows the prompt and its runs until it has an outcome. Leaving the loop does not stop the prompt. */
  events(options?: Omit<SessionEventsOptions, "after" | "follow">): AsyncGenerator<SessionItem>;
  /** Waits for the outcome. Survives lost connections and restarts of the server (P4). */
  settled(options?: CallOptions): Promise<Settled>;
  /** Changes the text of a waiting prompt. `revision` is the revision that you have seen. */
  edit(text: string, options?: CallOptions & { revision?: number }): Promise<Prompt>;
  /** Moves a waiting prompt before another entry of the queue; null moves it to the end. */
  move(before: string | null, options?: CallOptions): Promise<Prompt>;
  /** Moves a waiting prompt to the front and stops the active run. */
  promote(options?: CallOptions): Promise<Prompt>;
  /** Cancels this prompt: removes it from the queue, or stops the run that it started. */
  withdraw(options?: CallOptions & { cancelId?: string }): Promise<Receipt>;
}

/** A prompt that the server has stored (P1), as it was at that moment. */
export interface AcceptedPrompt extends PromptHandle {
  readonly entry: Prompt;
}

/** Creates a handle for a prompt. If `acceptSeq` is known, following the prompt needs one request less. */
export function promptHandle(
  transport: Transport,
  params: PromptParams,
  acceptSeq: number | null,
): PromptHandle {
  const get = (options: CallOptions = {}): Promise<Prompt> =>
    call(transport, `GET ${promptPath}`, { params, ...options });
  return {
    ...params,
    get,
    events: ({ signal, patience, deltas } = {}) => {
      const from = async (): Promise<number> =>
        acceptSeq ?? (await get({ signal, patience })).acceptSeq;
      return promptEvents(transport, { params, get, from, options: { signal, patience, deltas } });
    },
    settled: (options = {}) => untilSettled(transport, params, options),
    edit: async (text, { revision, ...options } = {}) => {
      const known = revision ?? (await get(options)).revision;
      const body = { text, revision: known };
      const isDone = (now: Prompt): boolean => now.text === text && now.revision === known + 1;
      const afterRepeat = (): Promise<Prompt | null> => get(options).then(nullUnless(isDone));
      return call(transport, `PATCH ${promptPath}`, { params, body, ...options, afterRepeat });
    },
    move: (before, options = {}) =>
      call(transport, `POST ${promptPath}/move`, { params, body: { before }, ...options }),
    promote: (options = {}) => {
      const afterRepeat = (): Promise<Prompt | null> => get(options).then(nullUnless(hasLeft));
      return call(transport, `POST ${promptPath}/promote`, { params, ...options, afterRepeat });
    },
    withdraw: ({ cancelId = newId("cancel"), ...options } = {}) =>
      call(transport, `DELETE ${promptPath}`, { params, query: { cancelId }, ...options }),
  };
}

const promptPath = "/v1/sessions/{sessionId}/prompts/{promptId}";

export type PromptParams = Pick<PromptHandle, "sessionId" | "promptId">;

async function* promptEvents(
  transport: Transport,
  prompt: {
    params: PromptParams;
    get: PromptHandle["get"];
    from: () => Promise<number>;
    options: SessionEventsOptions;
  },
): AsyncGenerator<SessionItem> {
  const { params, get, from, options } = prompt;
  const concerns = concernsOf(params.promptId);
  const after = (await from()) - 1;
  try {
    for await (const item of sessionStream(transport, params.sessionId, { ...options, after })) {
      if (!concerns(item)) continue;
      yield item;
      if (item.type === "prompt.settled" || item.type === "prompt.tombstoned") return;
      // The stream continues after a gap, in which the prompt may have settled (P4).
      if (item.type === "reset" && (await get(options)).status === "settled") return;
    }
  } catch (error) {
    // The log of a deleted session may be gone, but its prompts are settled (P4).
    const isOver = error instanceof Refused && (await get(options)).status === "settled";
    if (!isOver) throw error;
  }
}

function hasLeft(prompt: Prompt): boolean {
  return prompt.status !== "queued";
}

function nullUnless<Value>(isDone: (value: Value) => boolean): (value: Value) => Value | null {
  return (value) => (isDone(value) ? value : null);
}
