import type { Answer } from "../../kernel/transaction.ts";
import type { Signal, StoreRequest } from "../store.ts";
import type { Committed } from "./batch.ts";

// Maximum number of requests in one transaction, to limit how long other requests wait for it.
const maxRequests = 256;
const maxBytes = 16 * 1024 * 1024;
/** Milliseconds without a commit after which the queue counts as quiet. With many writers it is never quiet. */
export const quiet = 2;

export interface CommitQueue {
  add(request: StoreRequest): Promise<Answer>;
  /** Resolves when every added request has been answered. */
  idle(): Promise<void>;
}

/**
 * Writes all requests of one turn of the event loop in one commit at the end of the turn. After a quiet period the
 * commit comes earlier, as soon as the running synchronous code ends, with the requests that this code has added.
 */
export function createCommitQueue(options: {
  commit: Commit;
  signal: (signal: Signal) => void;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}): CommitQueue {
  const { now = () => performance.now() } = options;
  let waiting: Waiting[] = [];
  /** Time at which the last commit ended. */
  let endedAt = Number.NEGATIVE_INFINITY;
  const idlers: (() => void)[] = [];
  const flush = async (): Promise<void> => {
    const batch = waiting.slice(0, batchSize(waiting));
    const signals = await answer(batch, options.commit);
    waiting = waiting.slice(batch.length);
    endedAt = now();
    if (waiting.length > 0) setImmediate(flushSoon);
    else for (const idle of idlers.splice(0)) idle();
    // Send the signals last: if a listener throws, the requests are already answered and the next batch is scheduled.
    for (const signal of signals) options.signal(signal);
  };
  const flushSoon = (): void => void flush();
  return {
    add(request) {
      const bytes = sizeOf(request);
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.push({ request, bytes, resolve, reject });
      if (waiting.length === 1) {
        if (now() - endedAt > quiet) queueMicrotask(flushSoon);
        else setImmediate(flushSoon);
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

/** Commits at once, or later if another program has locked the database. */
type Commit = (requests: readonly StoreRequest[]) => Committed | Promise<Committed>;

/** Answers every request, even if the commit throws. */
async function answer(batch: readonly Waiting[], commit: Commit): Promise<readonly Signal[]> {
  try {
    const { results, signals } = await commit(batch.map(({ request }) => request));
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

/**
 * Returns how many of the waiting requests fit into one transaction. A request larger than the limit gets its own
 * transaction.
 */
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
