import type { Owned } from "./batch.ts";
import { quiet } from "./commit-queue.ts";
import { storeErrorOf } from "./errors.ts";

/** Runs small writes in order. */
export interface WriteQueue {
  /** Resolves when the write is committed. */
  add<Value>(write: () => Value): Promise<Value>;
  /** Resolves when every added write has been answered. */
  idle(): Promise<void>;
}

interface Waiting {
  /** Writes, and returns a function that answers the caller after the commit. */
  readonly write: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits all writes of one turn of the event loop in one transaction, because each commit waits for the disk. After a
 * quiet period the commit comes earlier, as in the commit queue.
 */
export function createWriteQueue(owned: Pick<Owned, "connection" | "transaction">): WriteQueue {
  const { connection, transaction } = owned;
  let waiting: Waiting[] = [];
  let flushed = Promise.resolve();
  /** Time at which the last commit ended. */
  let endedAt = Number.NEGATIVE_INFINITY;

  const writeAlone = ({ write, reject }: Waiting): (() => void) => {
    try {
      return write();
    } catch (error) {
      const reason = storeErrorOf(error, connection.file);
      return () => reject(reason);
    }
  };
  const writeAll = (batch: readonly Waiting[]): readonly (() => void)[] => {
    if (batch.length === 1) return batch.map(writeAlone);
    try {
      transaction.begin.run();
      const answers = batch.map(({ write }) => write());
      transaction.commit.run();
      return answers;
    } catch {
      // Any of the writes may be the cause, so try each of them alone, in its own transaction.
      if (connection.database.isTransaction) transaction.rollback.run();
      return batch.map(writeAlone);
    }
  };
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    const answers = writeAll(batch);
    endedAt = performance.now();
    for (const answer of answers) answer();
  };
  return {
    add<Value>(work: () => Value) {
      const { promise, resolve, reject } = Promise.withResolvers<Value>();
      const write = (): (() => void) => {
        const value = work();
        return () => resolve(value);
      };
      waiting.push({ write, reject });
      if (waiting.length === 1) {
        const { promise: written, resolve: end } = Promise.withResolvers<void>();
        flushed = written;
        const run = (): void => {
          flush();
          end();
        };
        if (performance.now() - endedAt > quiet) queueMicrotask(run);
        else setImmediate(run);
      }
      return promise;
    },
    idle: () => flushed,
  };
}
