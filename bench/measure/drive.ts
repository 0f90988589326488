import type { Timed } from "./alternate.ts";

/** Runs the operations in order with limited concurrency, and measures each one and the total. */
export async function drive(options: {
  series: string;
  operations: readonly (() => Promise<unknown>)[];
  writers: number;
}): Promise<Timed> {
  const { series, operations, writers } = options;
  const latencies: number[] = [];
  let next = 0;
  const write = async (): Promise<void> => {
    for (let operation = operations[next++]; operation !== undefined;) {
      const start = performance.now();
      await operation();
      latencies.push(performance.now() - start);
      operation = operations[next++];
    }
  };
  const used = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: writers }, write));
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  return { series, elapsed, cpu: (user + system) / 1000, latencies };
}
