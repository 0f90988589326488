import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { isAtRest } from "../../runner/soak/rest.ts";
import { allSessions, audit } from "../../store/audit.ts";
import type { Random } from "../../store/chaos/random.ts";
import { readLog } from "../../store/lane-client.ts";
import { checkTold } from "./check.ts";
import { insist, sessionCount, sessionName, startClients } from "./clients.ts";
import type { Cluster } from "./cluster.ts";
import { startReaders } from "./readers.ts";
import type { Told } from "./told.ts";

/** Clients and readers that use a cluster, and all answers that they received. */
export interface Load {
  readonly told: Told;
  /** Resolves when all prompts are acknowledged. */
  readonly sent: Promise<void>;
  /** Waits until every prompt has its outcome, and checks the log against all received answers. */
  judge(): Promise<Judgement>;
}

export interface Judgement {
  readonly logs: ReadonlyMap<string, readonly LaneEvent[]>;
  readonly problems: readonly string[];
}

export async function startLoad(
  cluster: Cluster,
  options: {
    random: Random;
    clients: number;
    /** Called before each prompt with the number of sent prompts. True: send no more. */
    isEnough: (sent: number) => boolean;
    deadline: AbortSignal;
  },
): Promise<Load> {
  const { random, deadline, isEnough, clients: side } = options;
  const told: Told = { accepted: [], receipts: [], outcomes: [], readings: [], acts: [] };
  const sessions = Array.from({ length: sessionCount }, (_, index) => sessionName(index));
  for (const sessionId of sessions) {
    const body = { sessionId, directory: cluster.directory, title: sessionId };
    const request = { method: "POST", path: "/v1/sessions", body };
    await insist(cluster, { random, deadline, request });
  }
  const readers = startReaders(cluster, { sessions, told, deadline });
  const sent = startClients(cluster, { random, isEnough, side, told, deadline });
  return {
    told,
    sent,
    judge: async () => {
      const store = await openPostgresStore({ url: cluster.url, connections: 4 });
      try {
        const logs = await logsAtRest(store, deadline);
        const ends = new Map([...logs].map(([id, log]) => [id, log.at(-1)?.seq ?? 0]));
        await readers.finish(new Map(sessions.map((id) => [id, ends.get(id) ?? 0])));
        told.acts.push(...readActs(join(cluster.directory, "acts.txt")));
        return { logs, problems: [...checkTold(logs, told), ...(await audit(store))] };
      } finally {
        await store.close();
      }
    },
  };
}

/** Every session's log, once nothing waits or runs. */
export async function logsAtRest(
  store: Store,
  deadline: AbortSignal,
): Promise<Map<string, readonly LaneEvent[]>> {
  while (!(await isAtRest(store))) {
    deadline.throwIfAborted();
    await delay(100);
  }
  const logs = new Map<string, readonly LaneEvent[]>();
  for (const sessionId of await allSessions(store)) {
    logs.set(sessionId, await readLog(store, sessionId));
  }
  return logs;
}

function readActs(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => /\[([^\]]*)\]$/.exec(line)?.[1] ?? line);
}
