import { sleep } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";
import type { Connection } from "./connection.ts";
import { closed, isBusy } from "./errors.ts";

/** Milliseconds to wait for the lock of another program, and between two tries. */
const patience = 1_000;
const pause = 10;

/**
 * Does synchronous work. While another program has locked the database, repeats the work with pauses, because SQLite's
 * own busy timeout blocks the event loop. Work that fails because of the lock must not have changed anything.
 */
export type LockWait = <Value>(work: () => Value) => Value | Promise<Value>;

export function createLockWait(
  { database, file }: Pick<Connection, "database" | "file">,
  clock: Clock,
): LockWait {
  const retry = async <Value>(work: () => Value): Promise<Value> => {
    const until = clock.monotonic() + patience;
    for (;;) {
      await sleep(pause, { clock });
      if (!database.isOpen) throw closed(file);
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() >= until) throw error;
      }
    }
  };
  return (work) => {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return retry(work);
    }
  };
}
