/**
 * Batches reads of single rows: keys requested in the same tick, or while statements are in flight, share the
 * next statement.
 */
export class Together<Row> {
  readonly #read: Read<Row>;
  readonly #waiting = new Map<string, Waiting<Row>>();
  #sent = 0;
  #isPlanned = false;

  constructor(read: Read<Row>) {
    this.#read = read;
  }

  /** Reads the row with this key; null if there is none. */
  row(key: string): Promise<Row | null> {
    const known = this.#waiting.get(key);
    if (known !== undefined) return known.promise;
    const wanted: Waiting<Row> = Promise.withResolvers();
    this.#waiting.set(key, wanted);
    this.#plan();
    return wanted.promise;
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    process.nextTick(() => {
      this.#isPlanned = false;
      while (this.#sent < maxSent && this.#waiting.size > 0) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const group = [...this.#waiting].slice(0, most);
    for (const [key] of group) this.#waiting.delete(key);
    this.#sent += 1;
    try {
      const rows = await this.#read(group.map(([key]) => key));
      for (const [key, { resolve }] of group) resolve(rows.get(key) ?? null);
    } catch (error) {
      for (const [, { reject }] of group) reject(error);
    } finally {
      this.#sent -= 1;
      this.#plan();
    }
  }
}

type Read<Row> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
type Waiting<Row> = ReturnType<typeof Promise.withResolvers<Row | null>>;

/** Maximum number of statements in flight: the database executes one while the next one is being sent. */
const maxSent = 2;
/** Maximum number of keys in one statement. */
const most = 100;
