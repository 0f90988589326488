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

/** A prompt that a session has accepted, or whose id is known. */
export interface PromptHandle {
  readonly sessionId: string;
  readonly promptId: string;
  /** Its entry in the ledger as it is now. */
  get(options?: CallOptions): Promise<Prompt>;
  /**
   * What happens to it and in its runs, from its accept on, ending with `prompt.settled`. Breaking
   * out of the loop leaves the prompt alone.
   */
  events(options?: Omit<SessionEventsOptions, "after" | "follow">): AsyncGenerator<SessionItem>;
  /** Its outcome, once it has one. Survives cut connections and restarts of the server (P4). */
  settled(options?: CallOptions): Promise<Settled>;
  /** Changes its words while it waits; `revision` is the one that the change is based on. */
  edit(text: string, options?: CallOptions & { revision?: number }): Promise<Prompt>;
  /** Moves it before another waiting prompt or work; null: to the end. */
  move(before: string | null, options?: CallOptions): Promise<Prompt>;
  /** Puts it first and stops the active run. */
  promote(options?: CallOptions): Promise<Prompt>;
  /** Cancels it alone: out of the queue, or with the run that it has started. */
  withdraw(options?: CallOptions & { cancelId?: string }): Promise<Receipt>;
}

/** A prompt as it was accepted: durable from then on (P1). */
export interface AcceptedPrompt extends PromptHandle {
  readonly entry: Prompt;
}

/** `acceptSeq` spares a question, where the prompt's entry is known already. */
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
    }
  } catch (error) {
    // The log of a deleted session may be gone; its prompts are settled all the same (P4).
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
