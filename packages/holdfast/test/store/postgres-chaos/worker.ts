import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeCaller } from "./caller.ts";
import { runClient } from "./client.ts";
import { attend } from "./owner.ts";

/** A process of the chaos: clients that send, and a node that executes. It ends by being killed. */
export interface WorkerOptions {
  /** The source tree whose store is tested. */
  readonly source: string;
  readonly url: string;
  readonly name: string;
  readonly toldFile: string;
  readonly sessions: readonly string[];
  readonly clients: number;
  /** Number of prompts of each client. */
  readonly prompts: number;
  readonly ttl: number;
  readonly lanes: number;
  readonly steps: number;
  readonly calls: number;
  /** Factor by which the worker waits longer than usual for the database. */
  readonly patience?: number;
}

const options = readOptions();
const { name, ttl } = options;
const life = randomUUID().slice(0, 8);
const store = await openStore();
const random = Math.random;
let nodeId = await join();
void keepLease();
void runLanes();
await Promise.all(
  Array.from({ length: options.clients }, (_, index) => {
    const client = `${name}-${index}`;
    const file = options.toldFile;
    const caller = makeCaller({ store, file, name: `${client}.${life}` });
    const { sessions, prompts } = options;
    return runClient({ caller, random, name: client, sessions, prompts, file });
  }),
);
process.send?.({ kind: "sent" });

function readOptions(): WorkerOptions {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by startWorker
  return JSON.parse(process.argv[2] ?? "{}") as WorkerOptions;
}

async function openStore(): Promise<Store> {
  const path = `${options.source}/store/postgres/postgres-store.ts`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of the module named above
  const module = (await import(path)) as { openPostgresStore: typeof openPostgresStore };
  const { patience = 1 } = options;
  for (;;) {
    try {
      return await module.openPostgresStore({
        url: options.url,
        connections: 4,
        timeouts: {
          statement: 800 * patience,
          lock: 500,
          idleInTransaction: 500,
          connect: 1_000 * patience,
        },
        unavailableAfter: 3_000 * patience,
      });
    } catch {
      await delay(50);
    }
  }
}

async function join(): Promise<string> {
  for (;;) {
    const id = `${name}-${randomUUID()}`;
    try {
      await store.join({ nodeId: id, ttl });
      return id;
    } catch {
      await delay(20);
    }
  }
}

async function keepLease(): Promise<void> {
  for (;;) {
    await delay(ttl / 4);
    const renewal = await store.renew(nodeId).catch(() => null);
    if (renewal?.status === "lost") nodeId = await join();
  }
}

async function runLanes(): Promise<void> {
  const caller = makeCaller({ store, file: options.toldFile, name: `${name}-node.${life}` });
  const busy = new Set<string>();
  const wake = { up: (): void => {} };
  store.watch(() => wake.up());
  for (;;) {
    const free = options.lanes - busy.size;
    const pending = free > 0 ? await store.pending({ limit: 20 }).catch(() => null) : null;
    const wanted = (pending?.lanes ?? []).filter(({ sessionId }) => !busy.has(sessionId));
    for (const lane of wanted.toSorted(() => random() - 0.5).slice(0, Math.max(free, 0))) {
      busy.add(lane.sessionId);
      const { steps, calls } = options;
      const owner = { store, caller, nodeId: () => nodeId, random, steps, calls };
      void attend(owner, lane).finally(() => {
        busy.delete(lane.sessionId);
        wake.up();
      });
    }
    const woken = new Promise<void>((resolve) => {
      wake.up = resolve;
    });
    // Signals come in bursts: one read handles all of them.
    await Promise.race([woken, delay(50)]);
    await delay(10);
  }
}
