/**
 * Single rows that are asked for in the same breath, read by one statement: who wants many of them asks
 * for all at once, and waits for one exchange.
 */
export class Together<Row> {
  readonly #read: Read<Row>;
  readonly #waiting = new Map<string, Map<string, Waiting<Row>>>();

  constructor(read: Read<Row>) {
    this.#read = read;
  }

  /** Null when there is none. Rows of one group can be read together. */
  row(group: string, key: string): Promise<Row | null> {
    const waiting = this.#waiting.get(group) ?? this.#plan(group);
    const known = waiting.get(key);
    if (known !== undefined) return known.promise;
    const wanted: Waiting<Row> = Promise.withResolvers();
    waiting.set(key, wanted);
    if (waiting.size === most) this.#waiting.delete(group);
    return wanted.promise;
  }

  #plan(group: string): Map<string, Waiting<Row>> {
    const waiting = new Map<string, Waiting<Row>>();
    this.#waiting.set(group, waiting);
    process.nextTick(() => {
      if (this.#waiting.get(group) === waiting) this.#waiting.delete(group);
      void this.#answer(group, waiting);
    });
    return waiting;
  }

  async #answer(group: string, waiting: ReadonlyMap<string, Waiting<Row>>): Promise<void> {
    try {
      const rows = await this.#read(group, [...waiting.keys()]);
      for (const [key, { resolve }] of waiting) resolve(rows.get(key) ?? null);
    } catch (error) {
      for (const { reject } of waiting.values()) reject(error);
    }
  }
}

type Read<Row> = (group: string, keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
type Waiting<Row> = ReturnType<typeof Promise.withResolvers<Row | null>>;

/** The most in one statement: a bound on what it brings at a time. */
const most = 100;
