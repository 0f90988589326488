/** Limits the duration of a call: the time without progress, and the total time. */
export interface CallTimer {
  /** Aborts, with the reason, when a limit is reached. */
  readonly signal: AbortSignal;
  /** Returns the message for people when a limit is reached. */
  lateText(): string;
  /** Reports progress, which resets the time without progress. */
  touch(): void;
  /**
   * Pauses two time limits while a person answers: the time without progress, and the total time. Returns a function
   * that resumes both.
   */
  pause(): () => void;
  stop(): void;
}

export function createCallTimer(limits: {
  readonly silence: number;
  readonly total: number | null;
}): CallTimer {
  const { silence, total } = limits;
  const late = new AbortController();
  let left = total;
  let startedAt = performance.now();
  let pauses = 0;
  let timers: NodeJS.Timeout[] = [];

  let text = `the server did not answer within ${silence / 1_000} s`;

  const giveUp = (): void =>
    late.abort(new Error("the MCP server did not answer the tool call in time"));
  const giveUpAll = (milliseconds: number): void => {
    text = `the call did not end within ${milliseconds / 1_000} s`;
    giveUp();
  };
  const stop = (): void => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const start = (): void => {
    stop();
    timers = [setTimeout(giveUp, silence)];
    if (left !== null && total !== null) timers.push(setTimeout(giveUpAll, left, total));
  };
  const spend = (): void => {
    const now = performance.now();
    if (left !== null) left = Math.max(0, left - (now - startedAt));
    startedAt = now;
  };
  start();
  return {
    signal: late.signal,
    lateText: () => text,
    touch: () => {
      if (pauses > 0) return;
      spend();
      start();
    },
    pause: () => {
      if (pauses === 0) spend();
      pauses += 1;
      stop();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        pauses -= 1;
        if (pauses > 0) return;
        startedAt = performance.now();
        start();
      };
    },
    stop,
  };
}
