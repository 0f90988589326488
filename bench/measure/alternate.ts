/** Something that is measured in turn with others, so that noise hits all of them alike. */
export interface Contestant {
  readonly name: string;
  /** A little work. What it does besides what it reports as timed costs nothing here. */
  round(): Promise<readonly Timed[]>;
}

export interface Timed {
  readonly series: string;
  /** Milliseconds from the first operation's start to the last one's end. */
  readonly elapsed: number;
  /** Milliseconds of processor time that this process used meanwhile. */
  readonly cpu: number;
  /** Milliseconds of each operation. */
  readonly latencies: readonly number[];
}

export interface Schedule {
  readonly slices: number;
  /** Milliseconds of timed work in a slice; at least one round is done. */
  readonly sliceMs: number;
}

/** All that was timed of one contestant's series. */
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

/** Runs the contestants in short slices, in turn, after a first slice of each that is not counted. */
export async function alternate(
  contestants: readonly Contestant[],
  schedule: Schedule,
): Promise<readonly Measured[]> {
  const measured = new Map<string, Measured>();
  for (let slice = -1; slice < schedule.slices; slice += 1) {
    // Whoever comes first after a pause has a disadvantage, so each second slice goes backwards.
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
