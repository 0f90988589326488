import { sleep, unlessAborted, withTimeout } from "../../base/time.ts";
import { McpProblem } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";

/** Keeps one connection to a server: when it ends another is made, less and less eagerly. */
export interface Lifeline {
  current(): Connection | null;
  /** The connection, also when it has to be made first; throws when the next try is far away. */
  connection(signal?: AbortSignal): Promise<Connection>;
  state(): {
    readonly status: LifeStatus;
    /** What went wrong last; null when nothing did since it is connected. */
    readonly problem: string | null;
    readonly restarts: number;
  };
  /** Returns when nothing of any connection is left. */
  close(): Promise<void>;
}

/** `connecting`: it was never connected, and is being tried. */
export type LifeStatus = "connecting" | "connected" | "reconnecting" | "failed";

/** A call waits for a server that is tried again within this time, and not for a later try. */
const maxWait = 5_000;

/** Makes the first connection, or throws; where that takes too long, it answers without one. */
export async function openLifeline(options: {
  /** Makes a connection and gets it ready. A failure leaves nothing behind. */
  readonly begin: (signal: AbortSignal) => Promise<Connection>;
  readonly backoff: McpLimits["backoff"];
  readonly now: () => number;
  /** For the first connection alone. */
  readonly signal: AbortSignal;
  /** Milliseconds that the first connection is waited for; null for as long as it takes. */
  readonly patience: number | null;
}): Promise<Lifeline> {
  const { begin, backoff, now } = options;
  const closing = new AbortController();
  let current: Connection | null = null;
  let trying: Promise<Connection> | null = null;
  let teardown: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let nextTry = 0;
  let failures = 0;
  let connectedAt = 0;
  let problem: string | null = null;
  let last: Connection | null = null;
  let restarts = 0;

  const adopt = (connection: Connection): Connection => {
    current = connection;
    last = connection;
    connectedAt = now();
    problem = null;
    void follow(connection);
    return connection;
  };

  const follow = async (connection: Connection): Promise<void> => {
    const reason = await connection.ended;
    // `close` calls this again and reports a failure.
    teardown = connection.close().catch(() => {});
    if (current === connection) current = null;
    if (closing.signal.aborted) return;
    problem = reason;
    if (now() - connectedAt >= backoff.forgetAfter) failures = 0;
    tryLater();
  };

  const tryLater = (): void => {
    failures += 1;
    const isHopeless = failures > backoff.tries;
    const wait = isHopeless
      ? backoff.max
      : Math.min(backoff.max, backoff.first * 2 ** (failures - 1));
    nextTry = now() + wait;
    // A failed try is recorded by `goOn`, which plans the next one.
    if (!isHopeless) timer = setTimeout(() => void tryNow().catch(() => {}), wait).unref();
  };

  const tryNow = (): Promise<Connection> => {
    stopTimer();
    return trying ?? goOn(again());
  };

  const again = async (): Promise<Connection> => {
    restarts += 1;
    // The old one may hold what the new one needs.
    await teardown;
    closing.signal.throwIfAborted();
    return adopt(await begin(closing.signal));
  };

  /** Nobody need wait for the connection: if it comes to nothing, it is tried again. */
  const goOn = (attempt: Promise<Connection>): Promise<Connection> => {
    trying = attempt
      .catch((error: unknown) => {
        if (closing.signal.aborted) throw error;
        problem = error instanceof Error ? error.message : String(error);
        tryLater();
        throw error;
      })
      .finally(() => (trying = null));
    return trying;
  };

  const stopTimer = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };

  const connection: Lifeline["connection"] = async (caller = closing.signal) => {
    const signal = AbortSignal.any([caller, closing.signal]);
    signal.throwIfAborted();
    if (current !== null) return current;
    const wait = nextTry - now();
    if (trying === null && wait > maxWait) {
      const seconds = Math.ceil(wait / 1_000);
      throw new McpProblem(`${problem ?? "it is gone"} (the next try is possible in ${seconds} s)`);
    }
    if (trying === null && wait > 0) await sleep(wait, { signal });
    return current ?? unlessAborted(tryNow(), signal);
  };

  const first = begin(AbortSignal.any([options.signal, closing.signal])).then(adopt);
  let isOver = false;
  // The failure itself is thrown below, or recorded by `goOn`.
  const over = first.catch(() => {}).finally(() => (isOver = true));
  if (options.patience !== null) {
    await withTimeout(over, { milliseconds: options.patience, late: () => {} });
  }
  if (options.patience === null || isOver) await first;
  // `goOn` records the failure and plans the next try.
  else goOn(first).catch(() => {});
  return {
    current: () => current,
    connection,
    state: () => ({
      status: statusOf({ current, last, isTrying: timer !== null || trying !== null }),
      problem,
      restarts,
    }),
    close: async () => {
      closing.abort(new McpProblem("it was closed"));
      stopTimer();
      // A connection that fails to open leaves nothing to close.
      await trying?.catch(() => {});
      current = null;
      await last?.close();
      await teardown;
    },
  };
}

function statusOf(life: {
  current: Connection | null;
  last: Connection | null;
  isTrying: boolean;
}): LifeStatus {
  if (life.current !== null) return "connected";
  if (!life.isTrying) return "failed";
  return life.last === null ? "connecting" : "reconnecting";
}
