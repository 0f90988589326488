import type { LaneEvent } from "../../packages/holdfast/src/kernel/event.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings, Target } from "../benchmark.ts";
import type { Bare, Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { drive } from "../measure/drive.ts";
import { compare } from "../measure/compare.ts";
import { clearQueue, createSession, promptRequest, send } from "./lane-commands.ts";

/** Compares how fast Holdfast stores an accepted prompt with a plain database transaction that writes an equal row. */
export async function benchAccept(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const many = options.quick ? 8 : 64;
  const names = namesFor(many);
  options.progress("accepts and bare transactions, alternately");
  const store = await openPlace(await engine.newPlace());
  const bare = await engine.openBare();
  try {
    const contestants = await prepare({ store, bare, many, names });
    const schedule = options.quick ? { slices: 2, sliceMs: 20 } : { slices: 12, sliceMs: 300 };
    const measured = await alternate(contestants, schedule);
    const compared = compare(measured, {
      [names.accept]: [names.bare],
      [names.acceptOneSession]: [names.bare],
      [names.acceptMany]: [names.bareMany, names.accept],
      [names.acceptManyOneSession]: [names.bareTogether, names.acceptOneSession],
    });
    const group = "durable accepts";
    const figures = compared.map((figure) => ({ engine: engine.name, group, ...figure }));
    const ratio = (name: string, to: string): number =>
      figures.find((figure) => figure.name === name)?.ratios.find((held) => held.to === to)
        ?.value ?? Number.NaN;
    const gain: Target = target({
      engine: engine.name,
      name: `${many} writers against one`,
      bound: { atLeast: 4 },
      value: ratio(names.acceptMany, names.accept),
    });
    const limit: Target = target({
      engine: engine.name,
      name: "one writer against the bare limit",
      bound: { atLeast: 0.5 },
      value: ratio(names.accept, names.bare),
    });
    // PostgreSQL has no target for one writer: the database and Holdfast share the processor, so the ratio depends on
    // the machine.
    return { figures, targets: engine.name === "sqlite" ? [limit, gain] : [gain] };
  } finally {
    await store.close();
    await bare.close();
  }
}

/**
 * Returns a name for each measured case. `bare`: the benchmark writes rows directly to the database. `accept`: Holdfast
 * accepts prompts.
 */
function namesFor(many: number): Names {
  return {
    bare: "bare, 1 writer",
    accept: "accept, 1 writer",
    acceptOneSession: "accept, 1 writer, one session",
    bareMany: `bare, ${many} writers`,
    acceptMany: `accept, ${many} writers`,
    bareTogether: `bare, ${many} rows to a commit`,
    acceptManyOneSession: `accept, ${many} writers, one session`,
  };
}

type Names = Record<
  | "bare"
  | "accept"
  | "acceptOneSession"
  | "bareMany"
  | "acceptMany"
  | "bareTogether"
  | "acceptManyOneSession",
  string
>;

async function prepare(options: {
  store: Store;
  bare: Bare;
  many: number;
  names: Names;
}): Promise<Contestant[]> {
  const { store, bare, many, names } = options;
  const sessions = await Promise.all(Array.from({ length: many }, () => createSession(store)));
  const [single] = sessions;
  if (single === undefined) throw new Error("no session was created");
  const newRow = await rowsLikeAccepts(store, single);
  const accepts = (name: string, spread: readonly string[], shape: Shape): Contestant => ({
    name,
    round: async () => {
      const operations = Array.from({ length: shape.count }, (_, index) => {
        const request = promptRequest(spread[index % spread.length] ?? single);
        return () => send(store, request);
      });
      const timed = await drive({ series: "accept", operations, writers: shape.writers });
      await Promise.all(spread.map((sessionId) => clearQueue(store, sessionId)));
      return [timed];
    },
  });
  const rows = (name: string, shape: Shape & { together: number }): Contestant => ({
    name,
    round: async () => {
      const operations = Array.from({ length: shape.count }, () => {
        const events = Array.from({ length: shape.together }, newRow);
        return () => bare.write(events);
      });
      const { elapsed, cpu, latencies } = await drive({
        series: "row",
        operations,
        writers: shape.writers,
      });
      // A row is durable only when its commit ends, so count the latency of the commit once for each row.
      const each = latencies.flatMap((latency) =>
        Array.from({ length: shape.together }, () => latency),
      );
      return [{ series: "row", elapsed, cpu, latencies: each }];
    },
  });
  return [
    rows(names.bare, { count: many, writers: 1, together: 1 }),
    accepts(names.accept, sessions, { count: many, writers: 1 }),
    accepts(names.acceptOneSession, [single], { count: 8, writers: 1 }),
    rows(names.bareMany, { count: many * 4, writers: many, together: 1 }),
    accepts(names.acceptMany, sessions, { count: many * 4, writers: many }),
    rows(names.bareTogether, { count: 4, writers: 1, together: many }),
    accepts(names.acceptManyOneSession, [single], { count: many * 2, writers: many }),
  ];
}

interface Shape {
  readonly count: number;
  readonly writers: number;
}

/**
 * Returns a function that creates rows for a plain database, with which Holdfast is compared. Each row has the content
 * of an event that Holdfast writes when it accepts a prompt, with its own number (`seq`).
 */
async function rowsLikeAccepts(store: Store, sessionId: string): Promise<() => LaneEvent> {
  const { events } = await send(store, promptRequest(sessionId));
  const [event] = events;
  if (event?.type !== "prompt.accepted")
    throw new Error("the accept wrote no prompt.accepted event");
  let seq = 0;
  return () => {
    seq += 1;
    return { ...event, seq, promptId: `prompt-${seq}`, sessionId: `session-${seq % 64}` };
  };
}
