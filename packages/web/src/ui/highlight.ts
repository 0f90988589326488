export interface CodeToken {
  readonly text: string;
  /** CSS class name; empty for plain code. */
  readonly look: string;
}

export interface HighlightTask {
  readonly id: number;
  readonly code: string;
  readonly language: string;
}

export interface Highlighted {
  readonly id: number;
  readonly lines: readonly (readonly CodeToken[])[] | null;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, (lines: Highlighted["lines"]) => void>();

/** Highlights code. Returns lines of tokens with class names, or null for an unknown language. */
export function highlight(code: string, language: string): Promise<Highlighted["lines"]> {
  worker ??= startWorker();
  const id = (lastId += 1);
  const lines = new Promise<Highlighted["lines"]>((resolve) => waiting.set(id, resolve));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no target origin
  worker.postMessage({ id, code, language } satisfies HighlightTask);
  return lines;
}

/** Starts the worker. If it fails, code is shown without colors. */
function startWorker(): Worker {
  const started = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<Highlighted>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  started.addEventListener("error", () => {
    for (const resolve of waiting.values()) resolve(null);
    waiting.clear();
  });
  return started;
}
