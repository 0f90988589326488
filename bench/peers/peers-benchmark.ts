import { join } from "node:path";
import { codexTarget } from "../../gauntlet/targets/codex.ts";
import { holdfastTarget } from "../../gauntlet/targets/holdfast.ts";
import { opencodeTarget } from "../../gauntlet/targets/opencode.ts";
import { ensurePackage } from "../../scripts/build/ensure-package.ts";
import { target } from "../benchmark.ts";
import type { Benchmark, BenchmarkOptions, Figure, Findings, Target } from "../benchmark.ts";
import { now } from "./clock.ts";
import { openPeer, startModel } from "./peer.ts";
import type { Model, Peer } from "./peer.ts";
import { driveSessions, fanOut, middle, timePrompts } from "./prompts.ts";

export const peersBenchmark: Benchmark = {
  name: "peers",
  summary: "Holdfast compared with opencode and Codex on the same model; downloads them from npm",
  run: async (options) => {
    const model = await startModel();
    const peers: Peer[] = [];
    try {
      const { progress } = options;
      progress("building the package");
      const program = await ensurePackage(join(import.meta.dirname, "../.."));
      const targets = [
        holdfastTarget({ store: "sqlite", program }),
        await opencodeTarget(progress),
        await codexTarget(progress, { way: "stdio" }),
      ];
      for (const wanted of targets) peers.push(await openPeer(wanted, model));
      return await measure({ ...options, model, peers });
    } finally {
      for (const peer of peers) await peer.close();
      await model.stop();
    }
  },
};

interface Measuring extends BenchmarkOptions {
  readonly model: Model;
  readonly peers: readonly Peer[];
}

/**
 * One measurement. `values` contains the result of each compared product, by name. A product without the measured
 * feature has no entry.
 */
interface Row {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly values: ReadonlyMap<string, number>;
}

async function measure(options: Measuring): Promise<Findings> {
  const rows: Row[] = [];
  for (const part of [starts, prompts, longAnswers, load, subscribers]) {
    rows.push(...(await part(options)));
  }
  const names = options.peers.map(({ name }) => name);
  return { figures: rows.flatMap((row) => figuresOf(row, names)), targets: targetsOf(rows, names) };
}

async function starts({ peers, quick, progress }: Measuring): Promise<Row[]> {
  progress("from start to ready, alternately");
  const times = new Map<string, number[]>(peers.map(({ name }) => [name, []]));
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    for (const { name, running } of peers) {
      await running.stop();
      const begin = now();
      await running.restart();
      times.get(name)?.push(now() - begin);
    }
  }
  const started = new Map([...times].map(([name, all]) => [name, middle(all)]));
  const resting = new Map(peers.map((peer) => [peer.name, peer.memory()]));
  return [
    { group: "start", name: "from start to ready", unit: "p50Ms", values: started },
    { group: "memory", name: "at rest", unit: "rssMb", values: resting },
  ];
}

async function prompts({ peers, model, quick, progress }: Measuring): Promise<Row[]> {
  const count = quick ? 4 : 200;
  progress("warm-up prompts, alternately");
  await timePrompts([null, ...peers], { model, prompts: quick ? 1 : 25 });
  progress(`${count} prompts on one session, alternately`);
  const times = await timePrompts([null, ...peers], { model, prompts: count });
  const bare = middle(times.get(null)?.took ?? []);
  const of = (pick: (peer: Peer) => number): Map<string, number> =>
    new Map(peers.map((peer) => [peer.name, pick(peer)]));
  const took = (peer: Peer, from: number, to: number): number =>
    middle(times.get(peer)?.took.slice(from * count, to * count) ?? []) - bare;
  const group = "a prompt beyond the model's time";
  const unit = "p50Ms";
  return [
    { group, name: "all", unit, values: of((peer) => took(peer, 0, 1)) },
    { group, name: "the first quarter", unit, values: of((peer) => took(peer, 0, 0.25)) },
    { group, name: "the last quarter", unit, values: of((peer) => took(peer, 0.75, 1)) },
    {
      group,
      name: "until it reaches the model",
      unit,
      values: of((peer) => middle(times.get(peer)?.toModel ?? [])),
    },
    {
      group: "memory",
      name: "after some prompts",
      unit: "rssMb",
      values: of((peer) => peer.memory()),
    },
  ];
}

async function longAnswers({ peers, model, quick, progress }: Measuring): Promise<Row[]> {
  progress("answers of 2,000 tokens, alternately");
  const times = await timePrompts([null, ...peers], {
    model,
    prompts: quick ? 1 : 10,
    long: true,
  });
  const bare = middle(times.get(null)?.took ?? []);
  const values = new Map(
    peers.map((peer) => [peer.name, middle(times.get(peer)?.took ?? []) - bare]),
  );
  return [{ group: "2,000 tokens", name: "beyond the model's time", unit: "p50Ms", values }];
}

async function load({ peers, quick, progress }: Measuring): Promise<Row[]> {
  const sizes = quick ? [2] : [50, 200];
  const rows: Row[] = [];
  const peaks = new Map<string, number>();
  for (const sessions of sizes) {
    const values = new Map<string, number>();
    for (const peer of peers) {
      progress(`${sessions} busy sessions: ${peer.name}`);
      const each = quick ? 2 : Math.round(1_000 / sessions);
      const { perSecond, peakMb } = await driveSessions(peer, { sessions, prompts: each });
      values.set(peer.name, perSecond);
      peaks.set(peer.name, Math.max(peaks.get(peer.name) ?? 0, peakMb));
    }
    rows.push({ group: "prompts", name: `${sessions} busy sessions`, unit: "perSecond", values });
  }
  return [...rows, { group: "memory", name: "at the peak", unit: "rssMb", values: peaks }];
}

async function subscribers({ peers, model, quick, progress }: Measuring): Promise<Row[]> {
  const count = quick ? 3 : 100;
  const values = new Map<string, number>();
  const time = async (peer: Peer): Promise<void> => {
    progress(`${count} subscribers: ${peer.name}`);
    const times: number[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) times.push(await fanOut(peer, count));
    values.set(peer.name, middle(times));
  };
  for (const peer of peers.filter(({ target: { offers } }) => offers.subscribe === true)) {
    await time(peer);
  }
  // Connect to Codex with a WebSocket here: stdio, which the other measurements use because it is faster, allows only
  // one client.
  const codex = await openPeer(await codexTarget(progress), model);
  try {
    await time(codex);
  } finally {
    await codex.close();
  }
  const name = `2,000 tokens to ${count} subscribers`;
  return [{ group: "subscribers", name, unit: "p50Ms", values }];
}

/**
 * Returns one benchmark result for each compared program. Holdfast's result also contains its ratio to the result of
 * each other program.
 */
function figuresOf({ group, name, unit, values }: Row, names: readonly string[]): Figure[] {
  const [own = ""] = names;
  return names.flatMap((peer): Figure[] => {
    const value = values.get(peer);
    if (value === undefined) return [];
    const others = peer === own ? names.slice(1) : [];
    const ratios = others.flatMap((to) => {
      const other = values.get(to);
      return other === undefined ? [] : [{ to, value: value / other }];
    });
    return [
      {
        engine: "sqlite",
        group: `${group}: ${name}`,
        name: peer,
        values: { [unit]: value },
        ratios,
      },
    ];
  });
}

/** Limits for the ratio of Holdfast's result to the result of each other program. */
const wanted = [
  { name: "all", opencode: { atMost: 0.1 }, codex: { atMost: 0.2 } },
  { name: "200 busy sessions", opencode: { atLeast: 10 }, codex: { atLeast: 10 } },
  { name: "at rest", opencode: { atMost: 0.25 }, codex: null },
  { name: "at the peak", opencode: { atMost: 0.25 }, codex: { atMost: 1 } },
  { name: "from start to ready", opencode: { atMost: 0.33 }, codex: null },
] as const;

function targetsOf(rows: readonly Row[], [own = "", ...others]: readonly string[]): Target[] {
  return wanted.flatMap((wish) => {
    const row = rows.find(({ name }) => name === wish.name);
    return others.flatMap((other): Target[] => {
      const bound = other.startsWith("opencode") ? wish.opencode : wish.codex;
      if (bound === null || row === undefined) return [];
      const value = (row.values.get(own) ?? Number.NaN) / (row.values.get(other) ?? Number.NaN);
      const name = `${row.group}, ${row.name}, against ${other}`;
      return [target({ engine: "sqlite", name, bound, value })];
    });
  });
}
