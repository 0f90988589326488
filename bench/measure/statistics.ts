import type { Measured, Slice } from "./alternate.ts";

export interface Rates extends Record<string, number> {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of this process per operation. Other processes on the machine hardly affect it. */
  readonly cpuMs: number;
}

export function ratesOf(measured: Measured): Rates {
  const sorted = measured.latencies.toSorted((left, right) => left - right);
  const total = { count: 0, elapsed: 0, cpu: 0 };
  for (const { count, elapsed, cpu } of measured.slices) {
    total.count += count;
    total.elapsed += elapsed;
    total.cpu += cpu;
  }
  return {
    perSecond: rateOf(total),
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMs: total.cpu / total.count,
  };
}

/**
 * Speed relative to the reference. Both workloads run alternately in short time slices. Each slice is compared with the
 * reference's slice of the same number; the result is the median of these ratios.
 */
export function speedRatio(measured: Measured, reference: Measured): number {
  const ratios = measured.slices.flatMap((slice, index) => {
    const other = reference.slices[index];
    return other === undefined ? [] : [rateOf(slice) / rateOf(other)];
  });
  return median(ratios);
}

/** Time per operation relative to the reference. */
export function costRatio(measured: Measured, reference: Measured): number {
  return speedRatio(reference, measured);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function rateOf({ count, elapsed }: Pick<Slice, "count" | "elapsed">): number {
  return (count * 1000) / elapsed;
}

export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
