/** Where one reader's bytes go. It never blocks: what does not leave at once is counted. */
export interface Sink {
  write(bytes: Uint8Array): void;
  /** Bytes that have been written and have not left. */
  buffered(): number;
  /** Resolves when next to nothing is buffered, or the reader has gone. */
  drained(): Promise<void>;
  /** Writes the last bytes; a reader that does not take them in time is cut off without. */
  end(last: Uint8Array | null): void;
  /** Aborts once when nothing can be written any more, whoever ended it. */
  readonly gone: AbortSignal;
}

export const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that gather what they pass on would hold events back.
  "x-accel-buffering": "no",
};
