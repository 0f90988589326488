/**
 * Sends typed lines to the server one at a time, so that they arrive in order, even if the server
 * was unreachable in between.
 */
export interface Outbox {
  put(words: string, send: (signal: AbortSignal) => Promise<unknown>): void;
  isEmpty(): boolean;
  /** Waits this many milliseconds for pending lines, and returns those that were not sent. */
  close(patience: number): Promise<Unsent>;
}

export interface Unsent {
  /** The line that was being sent; it may have arrived. */
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
      // `close` reports lines that were given up.
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
