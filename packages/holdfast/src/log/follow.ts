import { sleep } from "../base/time.ts";

/** A page of a log, or of other data that changes with a log. */
export interface LogPage<Position> {
  /** Position at which the next page begins. */
  readonly after: Position;
  /** True if there is more to read without waiting. */
  readonly more: boolean;
  /** Milliseconds until the next read if no hint arrives first; the default is `poll`. */
  readonly againIn?: number | null;
}

export interface LogSource<Position, Page extends LogPage<Position>> {
  read(after: Position, limit: number): Promise<Page>;
  /** Sends hints of new data. Null: read the log to its current end and stop. */
  readonly hints: Hints | null;
}

/**
 * Calls `ring` for each hint: there may be more to read. Hints can be lost or false. Returns a function that stops the
 * hints.
 */
export type Hints = (ring: () => void) => () => void;

export interface FollowOptions<Position> {
  readonly after: Position;
  /** Maximum number of events on a page. A function is called again for each page. */
  readonly limit: number | (() => number);
  readonly signal?: AbortSignal | undefined;
  /** Poll interval in milliseconds: the longest delay if a hint is lost. Null: no polling. */
  readonly poll?: number | null;
  /** Milliseconds to wait between a hint and the next read, so that one read returns more events. */
  readonly gather?: number;
  /** Receives read errors; the read is retried after `retryAfter` milliseconds. If missing, read errors are thrown. */
  readonly onError?: (error: unknown) => void;
  readonly retryAfter?: number;
}

const pollEvery = 1_000;
const retryPause = 500;

/**
 * Yields a log page by page, then waits for more, until the signal aborts (T2). Used by all log readers. Invariants:
 * F1 A hint that arrives during a read is not lost: it causes another read.
 * F2 An abort during a read does not lose the page: it is still yielded. The first page is read even after an abort.
 * F3 After a page with `more`, or a failed read, the loop does not wait for a hint.
 */
export async function* follow<Position, Page extends LogPage<Position>>(
  source: LogSource<Position, Page>,
  options: FollowOptions<Position>,
): AsyncGenerator<Page, void> {
  const { limit, signal, poll = pollEvery, gather = 0, retryAfter = retryPause } = options;
  const bell = new Bell(signal);
  const stopHints = source.hints?.(bell.ring);
  let { after } = options;
  try {
    for (let isOver = false; !isOver; isOver = signal?.aborted === true) {
      bell.arm();
      const size = typeof limit === "number" ? limit : limit();
      // Without `onError`, `catch(undefined)` passes the error on. With it, the page is undefined after an error.
      const page = await source.read(after, size).catch(options.onError);
      if (page === undefined) {
        await pause(retryAfter, signal);
        continue;
      }
      after = page.after;
      yield page;
      if (page.more) continue;
      if (stopHints === undefined) return;
      await bell.wait(page.againIn === undefined ? poll : page.againIn);
      if (gather > 0) await pause(gather, signal);
    }
  } finally {
    stopHints?.();
    bell.close();
  }
}

export interface Wait<Row> {
  read(): Promise<Row | null>;
  isOver(row: Row): boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads a row again and again until it is final or missing. If the signal aborts, returns the row in its current state.
 */
export async function waitForRow<Row>(hints: Hints, wait: Wait<Row>): Promise<Row | null> {
  const read = async () => ({ row: await wait.read(), after: null, more: false });
  for await (const { row } of follow({ read, hints }, { after: null, limit: 1, ...wait })) {
    if (row === null || wait.isOver(row)) return row;
  }
  return wait.read();
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  // Ignore the error of an abort: the loop checks the signal and ends.
  await sleep(milliseconds, { signal }).catch(() => {});
}

/** Ends the wait of a loop when there may be more to read. Small, because each idle reader has one. */
class Bell {
  readonly #signal: AbortSignal | undefined;
  #hasRung = false;
  #endWait: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.ring);
  }

  readonly ring = (): void => {
    this.#hasRung = true;
    clearTimeout(this.#timer);
    this.#endWait?.();
    this.#endWait = null;
  };

  arm(): void {
    this.#hasRung = false;
  }

  /** Resolves at the first `ring` after the latest `arm`, when the signal aborts, or after this many milliseconds. */
  wait(milliseconds: number | null): Promise<void> {
    if (this.#hasRung || this.#signal?.aborted === true) return Promise.resolve();
    if (milliseconds !== null) this.#timer = setTimeout(this.ring, milliseconds);
    return new Promise((resolve) => {
      this.#endWait = resolve;
    });
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.ring);
  }
}
