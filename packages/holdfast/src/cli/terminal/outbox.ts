/**
 * What a person has typed, on its way to the server: one after the other, so that it arrives in the
 * order of typing, also when the server was away meanwhile.
 */
export interface Outbox {
  put(words: string, send: (signal: AbortSignal) => Promise<unknown>): void;
  isEmpty(): boolean;
  /** Gives what is on its way so many milliseconds more, and answers the words that have not left. */
  close(patience: number): Promise<Unsent>;
}

export interface Unsent {
  /** It was being sent: it may have arrived. */
  readonly inDoubt: string | null;
  readonly kept: readonly string[];
}

export function createOutbox(onError: (error: unknown) => void): Outbox {
  const waiting: string[] = [];
  const over = new AbortController();
  let sending: string | null = null;
  let sent: Promise<void> = Promise.resolve();
  const sendNext = async (send: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    if (over.signal.aborted) return;
    sending = waiting.shift() ?? null;
    try {
      await send(over.signal);
    } catch (error) {
      // What is given up is told by `close`, and not as an error of its own.
      if (over.signal.aborted) return;
      onError(error);
    }
    sending = null;
  };
  return {
    isEmpty: () => sending === null && waiting.length === 0,
    put: (words, send) => {
      waiting.push(words);
      sent = sent.then(() => sendNext(send));
    },
    close: async (patience) => {
      const timer = setTimeout(() => over.abort(), patience);
      await sent;
      clearTimeout(timer);
      return { inDoubt: sending, kept: [...waiting] };
    },
  };
}
