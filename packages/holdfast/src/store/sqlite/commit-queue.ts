import type { Answer } from "../../kernel/transaction.ts";
import type { Signal, StoreRequest } from "../store.ts";
import type { Committed } from "./batch.ts";

/** The most requests in one transaction: a bound on how long others wait for it. */
const maxBatch = 256;

export interface CommitQueue {
  add(request: StoreRequest): Promise<Answer>;
  /** Resolves when everything that was added has been answered. */
  idle(): Promise<void>;
}

/** Collects what arrives in one round of the event loop and commits it together. */
export function createCommitQueue(options: {
  commit: (requests: readonly StoreRequest[]) => Committed;
  signal: (signal: Signal) => void;
}): CommitQueue {
  let waiting: Waiting[] = [];
  const idlers: (() => void)[] = [];
  const flush = (): void => {
    const batch = waiting.slice(0, maxBatch);
    waiting = waiting.slice(maxBatch);
    const { results, signals } = options.commit(batch.map(({ request }) => request));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (result?.status === "answered") resolve(result.answer);
      else reject(result?.error);
    }
    if (waiting.length > 0) setImmediate(flush);
    else for (const idle of idlers.splice(0)) idle();
    for (const signal of signals) options.signal(signal);
  };
  return {
    add(request) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.push({ request, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
      return promise;
    },
    idle() {
      if (waiting.length === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      idlers.push(resolve);
      return promise;
    },
  };
}

interface Waiting {
  readonly request: StoreRequest;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}
