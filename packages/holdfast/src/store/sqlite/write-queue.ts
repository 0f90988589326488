import type { Owned } from "./batch.ts";
import { quiet } from "./commit-queue.ts";
import { isBusy, storeErrorOf } from "./errors.ts";

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

  const failed = ({ reject }: Waiting, error: unknown): (() => void) => {
    const reason = storeErrorOf(error, connection.file);
    return () => reject(reason);
  };
  const writeAlone = (waiting: Waiting): (() => void) => {
    try {
      return waiting.write();
    } catch (error) {
      return failed(waiting, error);
    }
  };
  const writeAll = (batch: readonly Waiting[]): readonly (() => void)[] => {
    if (batch.length === 1) return batch.map(writeAlone);
    try {
      transaction.begin.run();
    } catch (error) {
      return batch.map((each) => failed(each, error));
    }
    try {
      const answers = batch.map(({ write }) => write());
      transaction.commit.run();
      return answers;
    } catch (error) {
      if (connection.database.isTransaction) transaction.rollback.run();
      // If another program has locked the database, each retry would block the event loop until the lock's timeout.
      if (isBusy(error)) return batch.map((each) => failed(each, error));
      // Any of the writes may be the cause, so try each of them alone, in its own transaction.
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
