import { fork } from "node:child_process";
import { join } from "node:path";

/** A child process of a benchmark. It answers requests of the benchmark, and its cost is measured separately. */
export interface Child<Ready> {
  readonly ready: Ready;
  /** Milliseconds of processor time used so far. */
  cpu(): Promise<number>;
  /** Memory after a garbage collection. */
  memory(): Promise<{ readonly rssMb: number; readonly heapMb: number }>;
  /** Current memory. */
  memoryNow(): Promise<{ readonly rssMb: number; readonly heapMb: number }>;
  /** Runs a named action in the child process and returns its result. */
  ask<Answer>(question: string): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startChild<Ready>(file: string, job: unknown): Promise<Child<Ready>> {
  const child = fork(join(import.meta.dirname, file), {
    execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  const next = <Answer>(): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error(`${file} has ended`));
      child.once("exit", fail);
      child.once("message", (message: { answer: Answer }) => {
        child.off("exit", fail);
        resolve(message.answer);
      });
    });
  const ask = <Answer>(question: string): Promise<Answer> => {
    const answer = next<Answer>();
    child.send({ question });
    return answer;
  };
  const begun = next<Ready>();
  child.send({ job });
  const ready = await begun;
  return {
    ready,
    ask,
    cpu: () => ask("cpu"),
    memory: () => ask("memory"),
    memoryNow: () => ask("memoryNow"),
    stop: async () => {
      child.send({ question: "stop" });
      await ended;
    },
  };
}
