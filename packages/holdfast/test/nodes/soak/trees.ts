import { setTimeout as delay } from "node:timers/promises";
import type { LaneEvent, Receipt } from "../../../src/kernel/event.ts";
import { audit } from "../../store/audit.ts";
import { createRandom } from "../../store/chaos/random.ts";
import type { Random } from "../../store/chaos/random.ts";
import { judgeTrees } from "./check-trees.ts";
import type { TreeFindings } from "./check-trees.ts";
import { insist } from "./clients.ts";
import { openFleet } from "./fleet.ts";
import type { Fleet } from "./fleet.ts";
import { logsAtRest } from "./load.ts";

export interface TreesOptions {
  readonly store: "sqlite" | "postgres";
  readonly seed: number;
  /** Trees that are started and cancelled. */
  readonly trees: number;
  /** Number of trees whose server is killed around their cancel. */
  readonly kills: number;
  /** Generations below the root, and the background children of each session. */
  readonly depth: number;
  readonly breadth: number;
  /** Number of trees that run at the same time. */
  readonly side: number;
  readonly onProgress?: (line: string) => void;
}

export interface TreesResult extends TreeFindings {
  readonly problems: readonly string[];
  readonly killed: number;
}

export interface CancelledTree {
  readonly sessionId: string;
  readonly receipt: Receipt;
}

const patience = 30 * 60_000;
/** Maximum milliseconds until a cancel: by then most of the tree is running, even on a slow machine. */
const longest = 4_000;

/**
 * Starts trees of sessions over HTTP and cancels each with `tree` at a random moment of its growth. Around half of
 * the cancels, a server is killed with -9: before the cancel, while the cancel is on its way, or right after its
 * receipt.
 */
export async function soakTrees(options: TreesOptions): Promise<TreesResult> {
  const { store: kind, trees, onProgress } = options;
  const random = createRandom(options.seed);
  const deadline = AbortSignal.timeout(patience);
  const fleet = await openFleet(kind, "1000ms");
  try {
    await Promise.all(fleet.nodes.map((node) => node.start()));
    const cancelled: CancelledTree[] = [];
    let number = 0;
    let killed = 0;
    const one = async (): Promise<void> => {
      while (number < trees) {
        const index = number;
        number += 1;
        const isStruck = (index * options.kills) % trees < options.kills;
        if (isStruck) killed += 1;
        cancelled.push(await playTree(fleet, { ...options, random, deadline, index, isStruck }));
        onProgress?.(`${cancelled.length} trees cancelled, ${killed} servers killed`);
      }
    };
    await Promise.all(Array.from({ length: options.side }, one));
    const { logs, problems } = await settledLogs(fleet, { kind, deadline });
    return { ...judgeTrees(logs, cancelled), problems, killed };
  } finally {
    await fleet.close();
  }
}

/** Every log once nothing waits or runs; on SQLite from the file, after the server has ended. */
async function settledLogs(
  fleet: Fleet,
  { kind, deadline }: { kind: TreesOptions["store"]; deadline: AbortSignal },
): Promise<{ logs: ReadonlyMap<string, readonly LaneEvent[]>; problems: readonly string[] }> {
  if (kind === "sqlite") await untilIdle(fleet, deadline);
  if (kind === "sqlite") for (const node of fleet.nodes) await node.drain();
  const store = await fleet.openStore();
  try {
    const logs = await logsAtRest(store, deadline);
    return { logs, problems: await audit(store) };
  } finally {
    await store.close();
  }
}

async function untilIdle(fleet: Fleet, deadline: AbortSignal): Promise<void> {
  const random = createRandom(1);
  for (;;) {
    const busy = ["queued", "running", "stopping", "cutOff"].map((status) => `status=${status}`);
    const request = { method: "GET", path: `/v1/sessions?${busy.join("&")}&limit=1` };
    const page = await insist<{ items: readonly object[] }>(fleet, { random, deadline, request });
    if (page.items.length === 0) return;
    await delay(200);
  }
}

async function playTree(
  fleet: Fleet,
  options: TreesOptions & {
    random: Random;
    deadline: AbortSignal;
    index: number;
    isStruck: boolean;
  },
): Promise<CancelledTree> {
  const { random, deadline, index, depth, breadth, isStruck } = options;
  const sessionId = `tree-${index}`;
  const send = <Answer>(path: string, body: object): Promise<Answer> =>
    insist<Answer>(fleet, { random, deadline, request: { method: "POST", path, body } });
  await send("/v1/sessions", { sessionId, directory: fleet.directory });
  const text = treeText(random, { depth, breadth });
  await send(`/v1/sessions/${sessionId}/prompts`, { promptId: `prompt-${index}`, text });
  await delay(random.below(longest));
  const strike = isStruck ? random.below(3) : null;
  if (strike === 0) await killOne(fleet, random);
  const cancelling = send<Receipt>(`/v1/sessions/${sessionId}/cancel`, {
    cancelId: `cancel-${index}`,
    tree: true,
  });
  if (strike === 1) await killOne(fleet, random);
  const receipt = await cancelling;
  if (strike === 2) await killOne(fleet, random);
  return { sessionId, receipt };
}

/** Each session starts its children in one step, and works for a while, or until it is cancelled. */
function treeText(random: Random, tree: { depth: number; breadth: number }): string {
  const isLong = random.chance(tree.depth === 0 ? 0.7 : 0.3);
  const rest = `wait ${isLong ? "600s" : `${50 + random.below(400)}ms`}; say done`;
  if (tree.depth === 0) return rest;
  const below = { ...tree, depth: tree.depth - 1 };
  const children = Array.from({ length: tree.breadth }, () => {
    return `background { ${treeText(random, below)} }`;
  });
  return `parallel { ${children.join("; ")} }; ${rest}`;
}

const starting = new Set<object>();

/** Kills one server. A server that is starting is not killed, so that work continues. */
async function killOne(fleet: Fleet, random: Random): Promise<void> {
  const running = fleet.nodes.filter((node) => node.address() !== null && !starting.has(node));
  const node = running[random.below(Math.max(1, running.length))];
  if (node === undefined) return;
  starting.add(node);
  await node.kill();
  await node.start();
  starting.delete(node);
}
