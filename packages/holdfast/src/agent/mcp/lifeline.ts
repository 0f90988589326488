import { sleep, unlessAborted, withTimeout } from "../../base/time.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";
import { McpProblem } from "./problem.ts";

/** Keeps one connection to a server open. If the connection ends, opens a new one, with increasing delays. */
export interface Lifeline {
  current(): Connection | null;
  /** Returns the connection. If there is none, opens one; throws if the next try is too far in the future. */
  connection(signal?: AbortSignal): Promise<Connection>;
  state(): {
    readonly status: LifeStatus;
    /** The last error. Null if there was none since the server last connected. */
    readonly problem: string | null;
    readonly restarts: number;
  };
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

/** `connecting`: the first attempt to connect has not ended yet. */
export type LifeStatus = "connecting" | "connected" | "reconnecting" | "failed";

/** Longest time in milliseconds that a call waits for a reconnect. If the next try is later, the call does not wait. */
const maxWait = 5_000;

/**
 * Opens the first connection or throws. If this takes longer than `maxFirstWait`, returns without a connection and
 * keeps trying.
 */
export async function openLifeline(options: {
  /** Opens a connection and prepares it for use. If that fails, all of its resources are released. */
  readonly begin: (signal: AbortSignal) => Promise<Connection>;
  readonly backoff: McpLimits["backoff"];
  readonly now: () => number;
  /** Aborts only the attempt to open the first connection. */
  readonly signal: AbortSignal;
  /** Milliseconds to wait for the first connection. Null: no limit. */
  readonly maxFirstWait: number | null;
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
    // Ignore the error here: the function `close` closes the connection again and reports the error.
    teardown = connection.close().catch(() => {});
    if (current === connection) current = null;
    if (closing.signal.aborted) return;
    problem = reason;
    if (now() - connectedAt >= backoff.forgetAfter) failures = 0;
    tryLater();
  };

  const tryLater = (): void => {
    failures += 1;
    const isGivenUp = failures > backoff.tries;
    const wait = isGivenUp
      ? backoff.max
      : Math.min(backoff.max, backoff.first * 2 ** (failures - 1));
    nextTry = now() + wait;
    // Ignore the error here: `retryOnFailure` records it and schedules the next try.
    if (!isGivenUp) timer = setTimeout(() => void tryNow().catch(() => {}), wait).unref();
  };

  const tryNow = (): Promise<Connection> => {
    stopTimer();
    return trying ?? retryOnFailure(again());
  };

  const again = async (): Promise<Connection> => {
    restarts += 1;
    // Wait until the old connection is closed, because it may still use resources that the new one needs.
    await teardown;
    closing.signal.throwIfAborted();
    return adopt(await begin(closing.signal));
  };

  /** Stores the attempt as the current one. If it fails, schedules the next attempt. */
  const retryOnFailure = (attempt: Promise<Connection>): Promise<Connection> => {
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
      throw new McpProblem(
        `${problem ?? "the server is not connected"} (next try in ${seconds} s)`,
      );
    }
    if (trying === null && wait > 0) await sleep(wait, { signal });
    return current ?? unlessAborted(tryNow(), signal);
  };

  const first = begin(AbortSignal.any([options.signal, closing.signal])).then(adopt);
  let isOver = false;
  // Ignore the error here: it is thrown below, or recorded by `retryOnFailure`.
  const over = first.catch(() => {}).finally(() => (isOver = true));
  if (options.maxFirstWait !== null) {
    await withTimeout(over, { milliseconds: options.maxFirstWait, late: () => {} });
  }
  if (options.maxFirstWait === null || isOver) await first;
  // Ignore the error here: `retryOnFailure` records it and schedules the next try.
  else retryOnFailure(first).catch(() => {});
  return {
    current: () => current,
    connection,
    state: () => ({
      status: statusOf({ current, last, isTrying: timer !== null || trying !== null }),
      problem,
      restarts,
    }),
    close: async () => {
      closing.abort(new McpProblem("the server was closed"));
      stopTimer();
      // Ignore the error: a connection that failed to open need not be closed.
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
