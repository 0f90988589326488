import type { Owned } from "./batch.ts";
import { quiet } from "./commit-queue.ts";
import { isBusy, storeErrorOf } from "./errors.ts";
import type { LockWait } from "./lock-wait.ts";

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
export function createWriteQueue(
  { connection, transaction }: Pick<Owned, "connection" | "transaction">,
  lockWait: LockWait,
): WriteQueue {
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
  /** Throws if another program has locked the database: nothing has changed, and all writes can be repeated. */
  const writeTogether = (batch: readonly Waiting[]): readonly (() => void)[] => {
    const isAlone = batch.length === 1;
    try {
      if (!isAlone) transaction.begin.run();
      const answers = batch.map(({ write }) => write());
      if (!isAlone) transaction.commit.run();
      return answers;
    } catch (error) {
      if (connection.database.isTransaction) transaction.rollback.run();
      if (isBusy(error)) throw error;
      if (isAlone) return batch.map((each) => failed(each, error));
      // Any of the writes may be the cause, so try each of them alone, in its own transaction.
      return batch.map(writeAlone);
    }
  };
  const writeAll = async (batch: readonly Waiting[]): Promise<readonly (() => void)[]> => {
    try {
      return await lockWait(() => writeTogether(batch));
    } catch (error) {
      return batch.map((each) => failed(each, error));
    }
  };
  const flush = async (end: () => void): Promise<void> => {
    const batch = [...waiting];
    const answers = await writeAll(batch);
    waiting = waiting.slice(batch.length);
    endedAt = performance.now();
    for (const answer of answers) answer();
    if (waiting.length > 0) setImmediate(() => void flush(end));
    else end();
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
        const run = (): void => void flush(end);
        if (performance.now() - endedAt > quiet) queueMicrotask(run);
        else setImmediate(run);
      }
      return promise;
    },
    idle: () => flushed,
  };
}
