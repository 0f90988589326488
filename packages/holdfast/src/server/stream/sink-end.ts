/** The end of a sink, and those who wait until it takes more. */
export interface SinkEnd {
  /** Aborts with `leave`. */
  readonly gone: AbortSignal;
  readonly isOver: () => boolean;
  /** Nothing more is written; whoever waits goes on. */
  readonly leave: () => void;
  /** Until `release` or `leave`. */
  readonly wait: () => Promise<void>;
  readonly release: () => void;
}

export function createSinkEnd(): SinkEnd {
  const controller = new AbortController();
  let waiting: PromiseWithResolvers<void> | null = null;
  const release = (): void => {
    waiting?.resolve();
    waiting = null;
  };
  return {
    gone: controller.signal,
    isOver: () => controller.signal.aborted,
    leave: () => {
      controller.abort();
      release();
    },
    wait: () => (waiting ??= Promise.withResolvers<void>()).promise,
    release,
  };
}
