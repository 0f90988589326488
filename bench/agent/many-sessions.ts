import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compare } from "../measure/compare.ts";
import { drive } from "../measure/drive.ts";
import { ask } from "../runner/runtime.ts";
import { openAgentSetup } from "./agent-setup.ts";

/**
 * Runs many concurrent sessions; each sends several prompts, one after the other. Compares them with the same number of
 * concurrent loops that call the model directly. Each session also generates its title with one extra call.
 */
export async function benchManySessions(
  engine: Engine,
  options: BenchmarkOptions,
): Promise<Findings> {
  const { sessions, prompts } = options.quick
    ? { sessions: 10, prompts: 2 }
    : { sessions: 500, prompts: 5 };
  const setup = await openAgentSetup(engine, sessions);
  let sent = 0;
  let settled = 0;
  const rows = (row: () => Promise<void>): Promise<Awaited<ReturnType<Contestant["round"]>>> =>
    drive({
      series: "call",
      operations: Array.from({ length: sessions }, () => row),
      writers: sessions,
    }).then((result) => [perCall(result, prompts)]);
  try {
    options.progress(`${sessions} sessions with ${prompts} prompts each, beside bare calls`);
    const contestants: Contestant[] = [
      {
        name: names.bare,
        round: () =>
          rows(async () => {
            for (let done = 0; done < prompts; done += 1) await setup.bareCall(done, "go on")();
          }),
      },
      {
        name: names.agent,
        round: () =>
          rows(async () => {
            const sessionId = await setup.newSession();
            for (let done = 0; done < prompts; done += 1) {
              sent += 1;
              await ask(setup.holdfast, sessionId, "go on");
              settled += 1;
            }
          }),
      },
    ];
    const schedule = options.quick ? { slices: 1, sliceMs: 1 } : { slices: 2, sliceMs: 1 };
    const measured = await alternate(contestants, schedule);
    const rssMb = process.memoryUsage().rss / 1024 / 1024;
    const figures = compare(measured, { [names.agent]: [names.bare] }).map((figure) => ({
      engine: engine.name,
      group: `${sessions} sessions with ${prompts} prompts each`,
      ...figure,
      values: { ...figure.values, ...(figure.name === names.agent ? { rssMb } : {}) },
    }));
    const speed = figures.find(({ name }) => name === names.agent)?.ratios[0]?.value ?? Number.NaN;
    return {
      figures,
      targets: [
        target({
          engine: engine.name,
          name: `${sessions} sessions against bare calls`,
          bound: { atLeast: 0.6 },
          value: speed,
        }),
        target({
          engine: engine.name,
          name: "prompts lost",
          bound: { atMost: 0 },
          value: sent - settled,
        }),
      ],
    };
  } finally {
    await setup.close();
  }
}

const names = { bare: "bare calls", agent: "prompts" } as const;

/** Returns the average time per call in a sequence of calls. */
function perCall<Row extends { readonly latencies: readonly number[] }>(
  row: Row,
  calls: number,
): Row {
  const latencies = row.latencies.flatMap((latency) =>
    Array.from({ length: calls }, () => latency / calls),
  );
  return { ...row, latencies };
}
