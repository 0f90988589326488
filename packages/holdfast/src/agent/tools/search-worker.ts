// This rule is for browser windows: postMessage of a worker thread has no target origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

export interface SearchRequest {
  readonly source: string;
  readonly flags: string;
  readonly maxMatches: number;
  readonly maxLineLength: number;
  /** True: stop at the first match of each file, because only file names are needed. */
  readonly namesOnly: boolean;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Searcher {
  /** Searches these files in order. */
  search(paths: readonly string[]): Promise<void>;
  readonly matches: readonly Match[];
  /** Ends the search, even within a regular expression that never finishes. */
  stop(): Promise<void>;
}

const mark = "holdfast search";
const chunkBytes = 262_144;
const newline = 0x0a;
/** Maximum number of bytes of a line to search. */
const maxSearchedBytes = 65_536;

/**
 * Runs regular expressions in a worker thread, because some never finish and a thread can be terminated at any time.
 */
export function startSearcher(request: SearchRequest): Searcher {
  // The worker runs this same file. `import.meta.url` stays correct when the build compiles the file to .js.
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { mark, request },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const matches: Match[] = [];
  let waiting: { resolve(): void; reject(error: Error): void } | null = null;
  worker.on("message", (message: Match | "done") => {
    if (message === "done") waiting?.resolve();
    else matches.push(message);
  });
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    waiting?.reject(ended);
  };
  worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => end(new Error("the file search was stopped before it finished")));
  return {
    matches,
    search: (paths) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        if (ended === null) worker.postMessage(paths);
        else reject(ended);
      }),
    stop: async () => {
      await worker.terminate();
    },
  };
}

if (!isMainThread && workerData?.mark === mark) serve(workerData.request);

function serve(request: SearchRequest): void {
  const expression = new RegExp(request.source, request.flags);
  let left = request.maxMatches;
  parentPort?.on("message", (paths: readonly string[]) => {
    for (const path of paths) {
      if (left > 0) left -= searchFile(path, { request, expression, max: left });
    }
    parentPort?.postMessage("done");
  });
}

/** Posts the matches of one file as they are found. Returns their number. */
function searchFile(
  path: string,
  options: { request: SearchRequest; expression: RegExp; max: number },
): number {
  const { request, expression, max } = options;
  let count = 0;
  let line = 0;
  for (const bytes of linesOf(path)) {
    line += 1;
    const text = bytes.toString("utf8").replace(/\r$/, "");
    if (!expression.test(text)) continue;
    const { maxLineLength, namesOnly } = request;
    const shown =
      text.length > maxLineLength ? `${text.slice(0, maxLineLength)} [... line cut]` : text;
    parentPort?.postMessage({ path, line, text: shown } satisfies Match);
    count += 1;
    if (count >= max || namesOnly) break;
  }
  return count;
}

/** Yields the lines of a text file. Yields nothing for a binary or unreadable file. */
function* linesOf(path: string): Generator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return;
  }
  try {
    if (!fstatSync(file).isFile()) return;
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let rest: Buffer = Buffer.alloc(0);
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      const chunk = buffer.subarray(0, read);
      if (chunk.includes(0)) return;
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        yield join(rest, chunk.subarray(from, at));
        rest = Buffer.alloc(0);
        from = at + 1;
      }
      rest = join(rest, chunk.subarray(from));
    }
    if (rest.length > 0) yield rest;
  } finally {
    closeSync(file);
  }
}

/** Appends bytes to a line, up to the search limit. Always returns a copy. */
function join(start: Buffer, more: Buffer): Buffer {
  return Buffer.concat([start, more.subarray(0, Math.max(0, maxSearchedBytes - start.length))]);
}
