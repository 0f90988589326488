import { fork } from "node:child_process";
import { join } from "node:path";

/** A process of a benchmark that answers questions: what it costs is its own. */
export interface Child<Ready> {
  readonly ready: Ready;
  /** Milliseconds of processor time that it has used. */
  cpu(): Promise<number>;
  /** Its memory after a garbage collection. */
  memory(): Promise<{ readonly rssMb: number; readonly heapMb: number }>;
  /** Its memory as it is. */
  memoryNow(): Promise<{ readonly rssMb: number; readonly heapMb: number }>;
  /** Asks it to do something that it knows by this name. */
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
