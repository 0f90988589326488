// This rule is meant for browser windows: postMessage of a worker thread has no target origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { writeSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { CommandRefused } from "../../runner/command-refused.ts";
import type { ReadDocument } from "./document.ts";
import type { Body } from "../../store/store.ts";
import type { SpooledBody } from "../commands/copies.ts";
import { BadDocument } from "./json-file.ts";

export interface ImportTask {
  /** File descriptor of the document. */
  readonly file: number;
  /** File descriptor of an empty file, to which the stored content of the document is written. */
  readonly contents: number;
  /** Secret keys that must not be stored. */
  readonly secrets: readonly string[];
  /** Receives the directory of the exported session and returns the directory of the new session. */
  readonly chooseDirectory: (recorded: string) => Promise<string>;
  readonly signal: AbortSignal | undefined;
}

export interface ImportedDocument extends ReadDocument {
  readonly directory: string;
  /** Positions of the document's stored content in the file `contents`. */
  readonly bodies: readonly SpooledBody[];
}

type FromThread =
  | { readonly type: "directory"; readonly recorded: string }
  | {
      readonly type: "done";
      readonly document: ReadDocument;
      readonly bodies: readonly SpooledBody[];
    }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "failed"; readonly message: string };

const mark = "holdfast import";

/**
 * Reads a document in a separate thread: reading 60 MB takes seconds and would block this process. If the thread needs
 * too much memory, it is terminated and the document is refused.
 */
export async function readInThread(task: ImportTask): Promise<ImportedDocument> {
  const { file, contents, secrets, chooseDirectory, signal } = task;
  signal?.throwIfAborted();
  // The worker runs this file. `import.meta.url` is its address both as TypeScript and after the build to JavaScript.
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { mark, file, contents, secrets },
    resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 },
  });
  const end = (): void => void worker.terminate();
  const timer = setTimeout(end, longest);
  signal?.addEventListener("abort", end, { once: true });
  const ended = endOf(worker);
  try {
    let directory = "";
    for (;;) {
      const message = await Promise.race([nextOf(worker), ended]);
      if (message.type === "done") {
        return { ...message.document, directory, bodies: message.bodies };
      }
      if (message.type === "failed") throw new Error(message.message);
      if (message.type === "refused") throw refused(message.message);
      // The worker may end while the directory is chosen.
      directory = await Promise.race([chooseDirectory(message.recorded), ended]);
      worker.postMessage(directory);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    await worker.terminate();
  }
}

/** Maximum milliseconds for reading a document, because other imports wait for it. */
const longest = 60_000;

function nextOf(worker: Worker): Promise<FromThread> {
  return new Promise((resolve) => worker.once("message", resolve));
}

/** Rejects when the worker ends, for any reason. */
function endOf(worker: Worker): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  worker.once("error", (error: unknown) => {
    const isFull =
      error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    reject(isFull ? refused("it takes too much memory; import a shorter session") : error);
  });
  worker.once("exit", () => reject(refused("it took too long to read; import a shorter session")));
  return promise;
}

function refused(message: string): CommandRefused {
  return new CommandRefused({ code: "invalid", field: "document", message });
}

if (!isMainThread && workerData?.mark === mark) await serve(workerData);

async function serve(task: Pick<ImportTask, "file" | "contents" | "secrets">): Promise<void> {
  // Load this module only in the worker thread: only the worker thread needs its schemas.
  const { readDocument } = await import("./document.ts");
  const bodies: SpooledBody[] = [];
  let end = 0;
  const keep = ({ hash, content }: Body): void => {
    for (let written = 0; written < content.byteLength;) {
      written += writeSync(task.contents, content, written);
    }
    bodies.push({ hash, start: end, length: content.byteLength });
    end += content.byteLength;
  };
  try {
    const document = await readDocument(task.file, {
      secrets: task.secrets,
      chooseDirectory,
      keep,
    });
    post({ type: "done", document, bodies });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    post({ type: error instanceof BadDocument ? "refused" : "failed", message });
  }
}

/**
 * Asks the main thread for the directory of the imported session. Only the main thread knows the user's permissions.
 */
function chooseDirectory(recorded: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  parentPort?.once("message", resolve);
  post({ type: "directory", recorded });
  return promise;
}

function post(message: FromThread): void {
  parentPort?.postMessage(message);
}
