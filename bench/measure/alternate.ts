/** A workload that is measured alternately with others, so that noise affects all of them equally. */
export interface Contestant {
  readonly name: string;
  /** Does a small amount of work. Only the times that it returns are counted. */
  round(): Promise<readonly Timed[]>;
}

export interface Timed {
  readonly series: string;
  /** Milliseconds from the start of the first operation to the end of the last one. */
  readonly elapsed: number;
  /** Milliseconds of processor time that this process used from the first operation to the last one. */
  readonly cpu: number;
  /** Duration of each operation in milliseconds. */
  readonly latencies: readonly number[];
}

export interface Schedule {
  readonly slices: number;
  /** Each slice of the benchmark repeats the measured work until it has taken this many milliseconds. */
  readonly sliceMs: number;
  /** Number of slices before the first one that counts. Default: 1. */
  readonly warmUps?: number;
}

/** All measurements of one series (one kind of operation) of a contestant. */
export interface Measured {
  readonly name: string;
  readonly series: string;
  readonly slices: Slice[];
  readonly latencies: number[];
}

export interface Slice {
  count: number;
  elapsed: number;
  cpu: number;
}

/** Runs the contestants alternately in short slices. The first slices of each are a warm-up. */
export async function alternate(
  contestants: readonly Contestant[],
  schedule: Schedule,
): Promise<readonly Measured[]> {
  const measured = new Map<string, Measured>();
  const { slices, warmUps = 1 } = schedule;
  for (let slice = -warmUps; slice < slices; slice += 1) {
    // Reverse the order of the workloads in every second pass. Otherwise the same workload would always run first, and
    // the first one is slower.
    const order = slice % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      const timed = await runSlice(contestant, schedule.sliceMs);
      if (slice >= 0) for (const entry of timed) record(measured, contestant.name, slice, entry);
    }
  }
  return [...measured.values()];
}

async function runSlice(contestant: Contestant, sliceMs: number): Promise<Timed[]> {
  const timed: Timed[] = [];
  let elapsed = 0;
  while (elapsed < sliceMs) {
    const round = await contestant.round();
    timed.push(...round);
    for (const entry of round) elapsed += entry.elapsed;
  }
  return timed;
}

function record(measured: Map<string, Measured>, name: string, index: number, timed: Timed): void {
  const { series } = timed;
  const key = `${name} ${series}`;
  const known = measured.get(key) ?? { name, series, slices: [], latencies: [] };
  measured.set(key, known);
  const slice = (known.slices[index] ??= { count: 0, elapsed: 0, cpu: 0 });
  slice.count += timed.latencies.length;
  slice.elapsed += timed.elapsed;
  slice.cpu += timed.cpu;
  for (const latency of timed.latencies) known.latencies.push(latency);
}
