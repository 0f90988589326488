import { inspect } from "node:util";

export interface WaitOptions<Value> {
  /** The state that the test waits for, as in "waited 20 s for …". */
  readonly describe: string;
  /** When the value is good; by default, when it is truthy. */
  readonly until?: (value: Value) => boolean;
  /** Milliseconds; 20 s by default. */
  readonly limit?: number;
}

/**
 * Reads a value repeatedly until it is good, and returns it. Fails after the limit, with the description and the last
 * value, so that no test hangs without a message.
 */
export async function waitFor<Value>(
  read: () => Value | Promise<Value>,
  options: WaitOptions<Value>,
): Promise<Value> {
  const { describe, until = Boolean, limit = 20_000 } = options;
  const end = performance.now() + limit;
  let seen = "no value: the first read did not end";
  const late = (): Error => new Error(`waited ${limit / 1_000} s for ${describe}; last: ${seen}`);
  for (let round = 0; ; round += 1) {
    const value = await orLate(read(), { end, late });
    if (until(value)) return value;
    seen = inspect(value, { depth: 4, breakLength: Infinity });
    if (performance.now() > end) throw late();
    // A busy loop at first, because most waits are short; then a pause for the rest of the machine.
    await (round < 100 ? new Promise(setImmediate) : new Promise((go) => realSetTimeout(go, 5)));
  }
}

/** Waits for a later time of the clock. Things that happen in the same millisecond have no order in time. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await waitFor(() => Date.now() > now, { describe: "the next millisecond" });
}

// Taken before a test replaces it to move time by hand.
const realSetTimeout = globalThis.setTimeout;

/** A value that is already good needs no timer. A test that counts timers would see it. */
async function orLate<Value>(
  value: Value | Promise<Value>,
  options: { end: number; late: () => Error },
): Promise<Value> {
  if (!(value instanceof Promise)) return value;
  const { promise, reject } = Promise.withResolvers<never>();
  const left = Math.max(1, options.end - performance.now());
  const timer = realSetTimeout(() => reject(options.late()), left);
  try {
    return await Promise.race([value, promise]);
  } finally {
    clearTimeout(timer);
  }
}
