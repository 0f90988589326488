import type { Body } from "../store.ts";

/**
 * Caches recently stored content: a sender gets its text back in the answer, and the run that the prompt starts reads
 * the text again. The content of a hash never changes, so the cache is never stale.
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

/** Limits of the cache: maximum number of cached contents, of bytes in total, and of bytes in one content. */
const most = 1_000;
const maxBytes = 2 * 1024 * 1024;
const largest = 64 * 1024;
