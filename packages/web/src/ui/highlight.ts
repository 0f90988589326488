export interface CodeToken {
  readonly text: string;
  /** The name of a class; empty for plain code. */
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

/** Code in lines of tokens with the names of their looks; null for a language that is not known. */
export function highlight(code: string, language: string): Promise<Highlighted["lines"]> {
  worker ??= startWorker();
  const id = (lastId += 1);
  const lines = new Promise<Highlighted["lines"]>((resolve) => waiting.set(id, resolve));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none to name
  worker.postMessage({ id, code, language } satisfies HighlightTask);
  return lines;
}

/** Without one that works code stays plain. */
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
