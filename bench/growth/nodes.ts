import { setTimeout } from "node:timers/promises";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Timed } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { costTargets } from "../measure/cost-targets.ts";
import { drive } from "../measure/drive.ts";
import { startChild } from "../server/child.ts";
import type { Child } from "../server/child.ts";
import { createHttpClient } from "../server/http-client.ts";
import type { HttpClient } from "../server/http-client.ts";
import { newId } from "../store/lane-commands.ts";
import { fillSessions } from "./fill.ts";
import type { NodeReady } from "./node-process.ts";

/**
 * Sends the same requests to one, two and three nodes. Each node is a separate process, and each group of nodes has its
 * own database. Requests go to the nodes in turn, no matter which node owns the session. SQLite is skipped, because
 * only one process can use it.
 */
export async function benchNodes(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  if (engine.name === "sqlite") return { figures: [], targets: [] };
  const sizes = options.quick ? [1, 2] : [1, 2, 3];
  const clusters: Cluster[] = [];
  try {
    for (const nodes of sizes) {
      options.progress(`a store with ${nameOf(nodes)}`);
      clusters.push(await startCluster(engine, { nodes, sessions: options.quick ? 20 : 1_000 }));
    }
    const clients = options.quick ? 4 : 64;
    for (const cluster of clusters) {
      options.progress(`${cluster.name}: warming up`);
      await warmUp(cluster, options.quick ? 1 : 8);
    }
    options.progress("requests to the nodes, alternately");
    const schedule = options.quick ? { slices: 2, sliceMs: 20 } : { slices: 12, sliceMs: 500 };
    const measured = await alternate(
      clusters.map((cluster) => asking(cluster, clients)),
      schedule,
    );
    const group = "by the number of nodes";
    const figures = compareCosts(measured, nameOf(1))
      .toSorted((left, right) => seriesOf(left.name).localeCompare(seriesOf(right.name)))
      .map((figure) => ({ engine: engine.name, group, ...figure }));
    const targets = costTargets(figures, {
      engine: engine.name,
      series: ["accept", "list", "prompt"],
      largest: nameOf(sizes.at(-1) ?? 0),
      label: "cost of",
      atMost: 1.5,
    });
    return { figures, targets };
  } finally {
    for (const { stop } of clusters) await stop();
  }
}

interface Cluster {
  readonly name: string;
  readonly nodes: readonly Child<NodeReady>[];
  /** Returns the client of the next node, in turn. */
  readonly any: () => HttpClient;
  /** Ids of the paused sessions, whose prompts stay in the queue. `free`: ids of the other sessions. */
  readonly held: readonly string[];
  readonly free: readonly string[];
  readonly stop: () => Promise<void>;
}

async function startCluster(
  engine: Engine,
  { nodes: count, sessions }: { nodes: number; sessions: number },
): Promise<Cluster> {
  const place = await engine.newPlace();
  const store = await openPlace(place);
  const known = (await fillSessions(store, sessions)).map(({ sessionId }) => sessionId);
  await store.compact();
  await store.close();
  const nodes = await Promise.all(
    Array.from({ length: count }, () => startChild<NodeReady>("../growth/node-process.ts", place)),
  );
  const clients = nodes.map(({ ready }) => createHttpClient(ready.url, null));
  let turns = 0;
  const any = (): HttpClient => {
    const client = clients[(turns += 1) % clients.length];
    if (client === undefined) throw new Error("the cluster has no nodes");
    return client;
  };
  const half = Math.min(64, Math.floor(known.length / 2));
  const held = known.slice(0, half);
  for (const sessionId of held) {
    const reason = "only accepts are measured";
    await expect(any().send("POST", `/v1/sessions/${sessionId}/holds`, { reason }));
  }
  const stop = async (): Promise<void> => {
    for (const client of clients) client.close();
    await Promise.all(nodes.map((node) => node.stop()));
  };
  return { name: nameOf(count), nodes, any, held, free: known.slice(-half), stop };
}

/**
 * Sends every node as many requests as a single node gets in its warm-up. Otherwise each of three nodes would get a
 * third of them, and would still compile its code during the measurement.
 */
async function warmUp(cluster: Cluster, rounds: number): Promise<void> {
  const { accept, whole, list } = requestsTo(cluster);
  for (let round = 0; round < rounds; round += 1) {
    for (const operation of [accept, whole, list]) {
      const operations = Array.from({ length: 150 * cluster.nodes.length }, () => operation);
      await drive({ series: "warm-up", operations, writers: 8 });
    }
    await clear(cluster);
  }
}

type Request = () => Promise<void>;

function requestsTo(cluster: Cluster): Record<"accept" | "whole" | "list" | "nothing", Request> {
  const { any, held, free } = cluster;
  let sent = 0;
  const prompt = (sessions: readonly string[], query: string) => async (): Promise<void> => {
    sent += 1;
    const path = `/v1/sessions/${sessions[sent % sessions.length] ?? ""}/prompts${query}`;
    await expect(any().send("POST", path, { promptId: newId("sent"), text: "go on" }));
  };
  return {
    accept: prompt(held, ""),
    whole: prompt(free, "?wait=60"),
    list: () => expect(any().send("GET", "/v1/sessions?limit=50")),
    /** A request that does not use the store. Its time is the cost of the machine and HTTP alone. */
    nothing: () => expect(any().send("GET", "/healthz")),
  };
}

/** Clears the queues of the held sessions. */
async function clear({ any, held }: Cluster): Promise<void> {
  await Promise.all(
    held.map((id) => expect(any().send("POST", `/v1/sessions/${id}/queue/clear`, {}))),
  );
}

function asking(cluster: Cluster, clients: number): Contestant {
  const { accept, whole, list, nothing } = requestsTo(cluster);
  const asked: readonly [series: string, operation: Request, writers: number][] = [
    ["accept", accept, 1],
    [`accept by ${clients} clients`, accept, clients],
    ["prompt", whole, 1],
    [`prompt by ${clients} clients`, whole, clients],
    ["list", list, 1],
    ["no store", nothing, 1],
  ];
  return {
    name: cluster.name,
    round: async () => {
      const timed: Timed[] = [];
      for (const [series, operation, writers] of asked) {
        // With one writer, send 48 requests to each node.
        const length = writers === 1 ? 48 * cluster.nodes.length : writers * 2;
        const operations = Array.from({ length }, () => operation);
        await calm(cluster);
        const before = await cpuOf(cluster);
        const result = await drive({ series, operations, writers });
        timed.push({ ...result, cpu: (await cpuOf(cluster)) - before });
      }
      await clear(cluster);
      return timed;
    },
  };
}

/**
 * Waits until the nodes are idle, so that work which continues after a response does not slow down the next request.
 */
async function calm(cluster: Cluster): Promise<void> {
  for (let looks = 0; looks < 40; looks += 1) {
    const before = await cpuOf(cluster);
    await setTimeout(25);
    if ((await cpuOf(cluster)) - before < cluster.nodes.length) return;
  }
}

async function cpuOf({ nodes }: Cluster): Promise<number> {
  const used = await Promise.all(nodes.map((node) => node.cpu()));
  return used.reduce((total, each) => total + each, 0);
}

async function expect(answer: ReturnType<HttpClient["send"]>): Promise<void> {
  const { status, text } = await answer;
  if (status < 200 || status > 299)
    throw new Error(`a request failed with status ${status}: ${text}`);
}

function nameOf(nodes: number): string {
  return nodes === 1 ? "1 node" : `${nodes} nodes`;
}

function seriesOf(name: string): string {
  return name.slice(0, name.indexOf(","));
}
