import type { Body } from "../store.ts";

/**
 * Bodies that were stored here a moment ago: who has sent a text gets it back in the answer, and the run
 * that it starts reads it again. A body is what its hash says, so none of them can be out of date.
 */
export class RecentBodies {
  readonly #contents = new Map<string, Uint8Array>();
  #bytes = 0;

  get(hash: string): Uint8Array | null {
    return this.#contents.get(hash) ?? null;
  }

  add({ hash, content }: Body): void {
    if (content.length > largest || this.#contents.has(hash)) return;
    this.#contents.set(hash, content);
    this.#bytes += content.length;
    for (const [oldest, { length }] of this.#contents) {
      if (this.#bytes <= maxBytes && this.#contents.size <= most) return;
      this.#contents.delete(oldest);
      this.#bytes -= length;
    }
  }

  clear(): void {
    this.#contents.clear();
    this.#bytes = 0;
  }
}

/** Bounds on what is kept, and on what is worth it. */
const most = 1_000;
const maxBytes = 2 * 1024 * 1024;
const largest = 64 * 1024;
