import { setTimeout as delay } from "node:timers/promises";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { createRandom } from "../../store/chaos/random.ts";
import type { Random } from "../../store/chaos/random.ts";
import { openCluster } from "./cluster.ts";
import type { Cluster } from "./cluster.ts";
import { startLoad } from "./load.ts";
import type { Told } from "./told.ts";

export interface NodesOptions {
  readonly seed: number;
  readonly prompts: number;
  /** Number of times for each kind of fault. */
  readonly troubles: Readonly<Record<Trouble, number>>;
  /** Milliseconds between two faults, and until a killed node is started again. */
  readonly pause: number;
  /** True: a killed node is started again. */
  readonly revives: boolean;
  readonly clients: number;
  /** Milliseconds that a takeover may take. On a busy machine, two leases are not enough. */
  readonly takeoverWithin: number;
  /** Connect the nodes through PgBouncer. */
  readonly pgbouncer?: boolean;
  readonly onProgress?: (line: string) => void;
}

export type Trouble = "kill" | "freeze" | "cut" | "database" | "drain";

export interface NodesResult {
  readonly problems: readonly string[];
  readonly logs: ReadonlyMap<string, readonly LaneEvent[]>;
  readonly told: Told;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Milliseconds from a kill or freeze until the first of the node's runs was taken over. */
  readonly takeovers: readonly number[];
  readonly resumed: number;
}

/** Length of a lease in milliseconds, by the store's clock, which is the clock of this machine. */
export const lease = 1_000;
/** Time limit of the whole soak, in milliseconds. If something hangs, this limit ends it. */
const patience = 30 * 60_000;

/**
 * Starts three servers on one database, each in its own process, while clients send prompts, steers and cancels to
 * any server and readers read from any. Nodes are killed, frozen, cut off and drained, and the database crashes. In
 * the end, the log is compared with all answers that clients and readers received.
 */
export async function soakNodes(options: NodesOptions): Promise<NodesResult> {
  const random = createRandom(options.seed);
  const ending = new AbortController();
  const deadline = AbortSignal.any([AbortSignal.timeout(patience), ending.signal]);
  const { pgbouncer = false } = options;
  const cluster = await openCluster({ nodes: 3, lease: `${lease}ms`, restarts: true, pgbouncer });
  try {
    await Promise.all(cluster.nodes.map((node) => node.start()));
    const { prompts, clients } = options;
    const isEnough = (sent: number): boolean => sent >= prompts;
    const load = await startLoad(cluster, { random, clients, isEnough, deadline });
    const { told } = load;
    const accepted = (): number => told.accepted.length;
    const struck = torment(cluster, { ...options, random, deadline, accepted });
    // Handle a rejection here: the caller that waits for both gets the error.
    struck.catch(() => {});
    await Promise.all([load.sent, struck]);
    const { logs, problems } = await load.judge();
    const { takeovers, problems: late } = judgeTakeovers(logs, {
      strikes: await struck,
      limit: options.takeoverWithin,
    });
    return {
      problems: [...cluster.ended, ...late, ...problems],
      logs,
      told,
      outcomes: countOutcomes(logs),
      takeovers,
      resumed: [...logs.values()].flat().filter(({ type }) => type === "run.resumed").length,
    };
  } finally {
    ending.abort();
    await cluster.close();
  }
}

interface Strike {
  /** What happened, as the progress shows it. */
  readonly label: string;
  readonly at: number;
  /** The node's id at the time of the fault; null if it had none. */
  readonly nodeId: string | null;
}

/** Causes one fault at a time, spread over the prompts. A killed node is started again. */
async function torment(
  cluster: Cluster,
  options: NodesOptions & { random: Random; deadline: AbortSignal; accepted: () => number },
): Promise<readonly Strike[]> {
  const { random, troubles, prompts, onProgress } = options;
  const plan = shuffled(random, Object.entries(troubles).flatMap(repeated));
  const strikes: Strike[] = [];
  for (const [index, trouble] of plan.entries()) {
    const due = (prompts * index) / plan.length;
    while (options.accepted() < due) await delay(20, null, { signal: options.deadline });
    options.deadline.throwIfAborted();
    const running = cluster.nodes.filter((node) => node.address() !== null);
    const node = running[random.below(running.length)];
    if (node === undefined) continue;
    const at = cluster.nodes.indexOf(node);
    const label = trouble === "database" ? trouble : `${trouble} node ${at}`;
    onProgress?.(`${options.accepted()} prompts acknowledged; ${label}`);
    if (trouble === "kill" || trouble === "freeze") {
      strikes.push({ label, nodeId: await nodeIdOf(node.address()), at: Date.now() });
    }
    if (trouble === "kill") {
      await node.kill();
      if (options.revives) {
        await delay(options.pause);
        await node.start();
      }
    } else if (trouble === "freeze") {
      const wake = node.freeze();
      await delay(lease * (1.2 + random.below(10) / 10));
      wake();
    } else if (trouble === "cut") node.cut();
    else if (trouble === "database") await cluster.database.restart();
    else {
      await node.drain();
      await node.start();
    }
    await delay(options.pause);
  }
  return strikes;
}

async function nodeIdOf(node: { url: string; token: string } | null): Promise<string | null> {
  if (node === null) return null;
  const headers = { authorization: `Bearer ${node.token}` };
  const signal = AbortSignal.timeout(2_000);
  const response = await fetch(`${node.url}/v1/status`, { headers, signal }).catch(() => null);
  const status: { nodeId?: string | null } = (await response?.json()) ?? {};
  return status.nodeId ?? null;
}

/** For each fault that hit a run: the time until another node continued the first of these runs. */
function judgeTakeovers(
  logs: ReadonlyMap<string, readonly LaneEvent[]>,
  { strikes, limit }: { strikes: readonly Strike[]; limit: number },
): { takeovers: number[]; problems: string[] } {
  const takeovers: number[] = [];
  const problems: string[] = [];
  for (const [index, { label, nodeId, at }] of strikes.entries()) {
    if (nodeId === null) continue;
    const times = [...logs.values()].flatMap((log) => {
      const next = log.find((event) => event.at > at && event.type === "run.resumed");
      const isHit = next?.type === "run.resumed" && ownerAt(log, next.runId, at) === nodeId;
      return isHit ? [next.at - at] : [];
    });
    if (times.length === 0) continue;
    const first = Math.min(...times);
    takeovers.push(first);
    if (first > limit) {
      const strike = `${label}, number ${index + 1} of the kills and freezes`;
      problems.push(`R1: the takeover after ${strike}, took ${first} ms, the lease has ${lease}`);
    }
  }
  return { takeovers, problems };
}

/** Returns the owner of the run at that time; null if it had none. */
function ownerAt(log: readonly LaneEvent[], runId: string, at: number): string | null {
  let owner: string | null = null;
  for (const event of log) {
    if (event.at > at) break;
    if (!("runId" in event) || event.runId !== runId) continue;
    if (event.type === "run.started" || event.type === "run.resumed") owner = event.owner;
    if (event.type === "run.handedOver" || event.type === "run.ended") owner = null;
  }
  return owner;
}

function countOutcomes(logs: ReadonlyMap<string, readonly LaneEvent[]>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of [...logs.values()].flat()) {
    if (event.type !== "prompt.settled") continue;
    const { status, reason } = event.outcome;
    const name = `${status} ${reason ?? ""}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function repeated([trouble, times]: [string, number]): Trouble[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record of troubles
  return Array.from({ length: times }, () => trouble as Trouble);
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.below(left.length), 1));
}
