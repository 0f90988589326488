import { target } from "../benchmark.ts";
import type { Figure, Findings } from "../benchmark.ts";
import { quantile } from "../measure/statistics.ts";

/** Milliseconds. A benchmark target is missed if the 95th percentile of an operation's duration is higher. */
const highest = 100;

export interface Measured {
  readonly name: string;
  readonly times: readonly number[];
  /** Milliseconds of processor time per operation in this process. Excludes PostgreSQL, which is a separate process. */
  readonly cpu: number;
}

/** Runs an operation several times in sequence, and measures each run. */
export async function measure(
  name: string,
  rounds: number,
  operation: (round: number) => Promise<unknown>,
): Promise<Measured> {
  const times: number[] = [];
  const used = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await operation(round);
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(used);
  return { name, times, cpu: (user + system) / 1000 / rounds };
}

/** Converts measurements to rows of the printed table. Each row except the first has a ratio to the first. */
export function latencyFigures(
  measured: readonly Measured[],
  of: { engine: Figure["engine"]; group: string },
): Figure[] {
  const [first] = measured;
  const base = medianOf(first?.times ?? []);
  return measured.map((entry) => ({
    ...of,
    name: entry.name,
    values: {
      p50Ms: medianOf(entry.times),
      p95Ms: quantile(sorted(entry.times), 0.95),
      cpuMs: entry.cpu,
    },
    ratios:
      entry === first || first === undefined
        ? []
        : [{ to: first.name, value: medianOf(entry.times) / base }],
  }));
}

export function latencyTargets(figures: readonly Figure[]): Findings["targets"] {
  return figures.flatMap(({ engine, group, name, values: { p95Ms: value } }) =>
    value === undefined
      ? []
      : [target({ engine, name: `p95 of ${name}, ${group}`, bound: { atMost: highest }, value })],
  );
}

function medianOf(times: readonly number[]): number {
  return quantile(sorted(times), 0.5);
}

function sorted(times: readonly number[]): number[] {
  return times.toSorted((left, right) => left - right);
}
