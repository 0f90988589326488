import type { Answer } from "../../kernel/transaction.ts";
import type { Signal, StoreRequest } from "../store.ts";
import type { Committed } from "./batch.ts";

// The most in one transaction: a bound on how long others wait for it.
const maxRequests = 256;
const maxBytes = 16 * 1024 * 1024;
/** Milliseconds without a commit: where many write, there is always one within this time. */
const quiet = 2;

export interface CommitQueue {
  add(request: StoreRequest): Promise<Answer>;
  /** Resolves when everything that was added has been answered. */
  idle(): Promise<void>;
}

/**
 * Commits what arrives in one round of the event loop together. What comes after a while of quiet does not
 * wait for others: it takes only those along that come with it.
 */
export function createCommitQueue(options: {
  commit: (requests: readonly StoreRequest[]) => Committed;
  signal: (signal: Signal) => void;
  /** Milliseconds of a clock that is never set. */
  now?: () => number;
}): CommitQueue {
  const { now = () => performance.now() } = options;
  let waiting: Waiting[] = [];
  /** When the last commit was done. */
  let endedAt = Number.NEGATIVE_INFINITY;
  const idlers: (() => void)[] = [];
  const flush = (): void => {
    const count = batchSize(waiting);
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    const signals = answer(batch, options.commit);
    endedAt = now();
    if (waiting.length > 0) setImmediate(flush);
    else for (const idle of idlers.splice(0)) idle();
    // Last: a listener that throws must not keep anybody waiting.
    for (const signal of signals) options.signal(signal);
  };
  return {
    add(request) {
      const bytes = sizeOf(request);
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.push({ request, bytes, resolve, reject });
      if (waiting.length === 1) {
        if (now() - endedAt > quiet) queueMicrotask(flush);
        else setImmediate(flush);
      }
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
  readonly bytes: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Everybody is told, whatever happens. */
function answer(
  batch: readonly Waiting[],
  commit: (requests: readonly StoreRequest[]) => Committed,
): readonly Signal[] {
  try {
    const { results, signals } = commit(batch.map(({ request }) => request));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (result?.status === "answered") resolve(result.answer);
      else reject(result?.error);
    }
    return signals;
  } catch (error) {
    for (const { reject } of batch) reject(error);
    return [];
  }
}

/** At least one: a request that is larger than the bound has a transaction of its own. */
function batchSize(waiting: readonly Waiting[]): number {
  let total = 0;
  for (const [index, { bytes }] of waiting.entries()) {
    total += bytes;
    if (index > 0 && (index === maxRequests || total > maxBytes)) return index;
  }
  return waiting.length;
}

function sizeOf(request: StoreRequest): number {
  return (request.bodies ?? []).reduce((total, { content }) => total + content.length, 0);
}
