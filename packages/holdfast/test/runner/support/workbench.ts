import type { WorkContext, WorkHandler } from "../../../src/runner/work-handler.ts";

/** Exclusive operations that the test controls, one after the other. */
export function createWorkbench(): Workbench {
  const arrived: Piece[] = [];
  const waiting: ((piece: Piece) => void)[] = [];
  return {
    handler: (context) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const piece: Piece = { context, end: resolve, fail: reject };
      const waiter = waiting.shift();
      if (waiter === undefined) arrived.push(piece);
      else waiter(piece);
      return promise;
    },
    next: () => {
      const piece = arrived.shift();
      return piece === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(piece);
    },
  };
}

export interface Workbench {
  readonly handler: WorkHandler;
  /** The next operation, or one that has already started. */
  next(): Promise<Piece>;
}

export interface Piece {
  readonly context: WorkContext;
  end(value: unknown): void;
  fail(error: Error): void;
}
