import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Receipt } from "../../../src/kernel/event.ts";
import type { Operation, Point, WorkerInput, WorkerJob, WorkerOutput } from "./job.ts";

/** The worker died before it answered. The request may have been executed. */
export class WorkerGone extends Error {
  constructor() {
    super("the worker is gone");
    this.name = "WorkerGone";
  }
}

export type Reply =
  | { readonly status: "acknowledged"; readonly receipt: Receipt | null }
  | { readonly status: "refused"; readonly code: string };

export interface Death {
  /** Null if the worker was killed from outside while it was at no named point. */
  readonly point: Point | null;
  /** SIGKILL, or the exit code. */
  readonly how: string;
}

export interface WorkerProcess {
  /** Resolves when it runs; rejects with WorkerGone. */
  readonly ready: Promise<void>;
  readonly dead: Promise<Death>;
  send(operation: Operation): Promise<Reply>;
  /** Resolves when the worker has reached this point of its work. */
  entered(point: Point): Promise<void>;
  rest(): Promise<void>;
  close(): void;
  kill(): void;
}

export function startWorker(job: WorkerJob): WorkerProcess {
  const script = join(import.meta.dirname, "worker.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(job)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => {});
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const dead = Promise.withResolvers<Death>();
  const waiting = new Map<number, PromiseWithResolvers<Reply>>();
  const within: Point[] = [];
  const entering: { point: Point; resolve: () => void }[] = [];
  let aimed: Point | null = null;
  let lastId = 0;
  let gone = false;

  const heard = (output: WorkerOutput): void => {
    switch (output.kind) {
      case "ready":
        ready.resolve();
        return;
      case "acknowledged": {
        const { receipt } = output;
        waiting.get(output.id)?.resolve({ status: "acknowledged", receipt });
        return;
      }
      case "refused":
        waiting.get(output.id)?.resolve({ status: "refused", code: output.code });
        return;
      case "entered":
        within.push(output.point);
        for (const { point, resolve } of entering) if (point === output.point) resolve();
        return;
      case "left":
        within.splice(within.lastIndexOf(output.point), 1);
        return;
      case "aimed":
        aimed = output.point;
    }
  };
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    const output = parseLine(line);
    if (output !== null) heard(output);
  });
  const read = new Promise((resolve) => lines.once("close", resolve));
  const bury = async (how: string): Promise<void> => {
    gone = true;
    ready.reject(new WorkerGone());
    // Read the output that the process wrote before it died, which is still in the pipe.
    await read;
    for (const { reject } of waiting.values()) reject(new WorkerGone());
    dead.resolve({ point: aimed ?? within.at(-1) ?? null, how });
  };
  child.once("exit", (code, signal) => void bury(signal ?? String(code)));
  const ask = async (input: (id: number) => WorkerInput): Promise<Reply> => {
    await ready.promise;
    if (gone) throw new WorkerGone();
    lastId += 1;
    const id = lastId;
    const reply = Promise.withResolvers<Reply>();
    waiting.set(id, reply);
    child.stdin.write(`${JSON.stringify(input(id))}\n`);
    try {
      return await reply.promise;
    } finally {
      waiting.delete(id);
    }
  };
  return {
    ready: ready.promise,
    dead: dead.promise,
    send: (operation) => ask((id) => ({ kind: "operation", id, operation })),
    entered: (point) =>
      new Promise((resolve) => {
        entering.push({ point, resolve });
        if (within.includes(point)) resolve();
      }),
    rest: async () => {
      await ask((id) => ({ kind: "rest", id }));
    },
    close: () => void child.stdin.end(`${JSON.stringify({ kind: "close" })}\n`),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Ignores a line that the kill cut off. */
function parseLine(line: string): WorkerOutput | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
