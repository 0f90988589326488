/** Receives the job of this child process from its parent. */
export function takeJob<Job>(): Promise<Job> {
  // An aborted benchmark must not leave its servers running.
  process.once("disconnect", () => process.exit());
  return new Promise((resolve) => {
    process.once("message", (message: { job: Job }) => resolve(message.job));
  });
}

type Answers = Readonly<Record<string, () => unknown>>;

/** Reports that the process is ready, and answers the parent's requests until the parent asks it to stop. */
export function beChild(options: {
  ready: unknown;
  answers?: Answers;
  stop: () => Promise<void>;
}): void {
  const answers: Answers = { ...common, ...options.answers };
  const reply = async (question: string): Promise<void> => {
    if (question === "stop") {
      await options.stop();
      process.disconnect();
      return;
    }
    process.send?.({ answer: await answers[question]?.() });
  };
  process.on("message", (message: { question: string }) => void reply(message.question));
  process.send?.({ answer: options.ready });
}

const common: Answers = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  memory: () => {
    globalThis.gc?.();
    return memoryNow();
  },
  memoryNow,
};

function memoryNow(): { rssMb: number; heapMb: number } {
  const { rss, heapUsed } = process.memoryUsage();
  return { rssMb: rss / 1024 / 1024, heapMb: heapUsed / 1024 / 1024 };
}
