import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { audit } from "../store/audit.ts";
import { createRandom } from "../store/chaos/random.ts";
import { queryOnce } from "../support/postgres.ts";
import { checkTold } from "./soak/check.ts";
import { openCluster } from "./soak/cluster.ts";
import type { Cluster } from "./soak/cluster.ts";
import { logsAtRest, startLoad } from "./soak/load.ts";

test("P1 P2 T2 a database copy taken under load is consistent: nodes continue with it, and readers that are ahead get a reset", async (t) => {
  const ending = new AbortController();
  const deadline = ending.signal;
  const cluster = await openCluster({ nodes: 1, lease: "1s" });
  t.after(() => cluster.close());
  t.after(() => ending.abort());
  await cluster.nodes[0]?.start();
  let isOver = false;
  const random = createRandom(Math.floor(Math.random() * 1_000_000));
  const isEnough = (): boolean => isOver;
  const load = await startLoad(cluster, { random, clients: 6, isEnough, deadline });
  const { told } = load;
  const until = async (count: number): Promise<void> => {
    await waitFor(() => told.accepted.length, {
      describe: `${count} accepted prompts`,
      until: (accepted) => accepted >= count,
      limit: 120_000,
    });
  };
  await until(20);
  const kept = [...told.accepted];
  const files = await cluster.database.backUp();
  await until(told.accepted.length + 30);
  isOver = true;
  await load.sent;
  const { logs } = await load.judge();
  const known = await lastKnown(cluster);
  await cluster.nodes[0]?.kill();

  const restored = await openCluster({ nodes: 1, lease: "1s", backup: { files, of: cluster } });
  t.after(() => restored.close());
  const store = await openPostgresStore({ url: restored.url, connections: 4 });
  t.after(() => store.close());
  await restored.nodes[0]?.start();
  const again = await logsAtRest(store, deadline);
  const nothing = { receipts: [], outcomes: [], readings: [], acts: [] };
  assert.deepEqual(checkTold(again, { ...nothing, accepted: kept }), []);
  assert.deepEqual(await audit(store), []);

  // Readers get a reset after a restore, even if the new transaction numbers have reached those that the readers
  // know.
  const burn =
    "DO $$ BEGIN FOR i IN 1..$n LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$";
  assert.equal((await store.feed({ after: known.feed, limit: 1 })).status, "reset");
  await queryOnce(restored.url, burn.replace("$n", "3000"));
  assert.equal((await store.feed({ after: known.feed, limit: 1 })).status, "reset");
  const behind = [...again].find(([id, log]) => log.length < (logs.get(id)?.length ?? 0));
  assert(behind !== undefined, "no session has lost anything: the copy was made too late");
  const [sessionId] = behind;
  const path = `/v1/sessions/${sessionId}/events?follow=false&after=${logs.get(sessionId)?.length}`;
  assert.match(await read(restored, path), /^event: ?reset$/m);
  assert.match(
    await read(restored, `/v1/events?follow=false&after=${known.feed}`),
    /^event: ?reset$/m,
  );
  // The same applies to a reader of one session whose log has grown beyond the events that the reader knows.
  const last = logs.get(sessionId)?.at(-1);
  assert(last !== undefined);
  await growPast(store, last);
  const place = `/v1/sessions/${sessionId}/events?follow=false&after=${last.seq}-${last.at}`;
  assert.match(await read(restored, place), /^event: ?reset$/m);

  // A prompt that was acknowledged after the copy is unknown here: it counts as new when it is sent again.
  const lost = told.accepted.filter((prompt) => !isIn(again, prompt));
  t.diagnostic(`${kept.length} kept, ${lost.length} of ${told.accepted.length} are lost`);
  assert.ok(lost.length > 0);
  const sent = [...lost.slice(0, 3), ...kept.slice(0, 3)].map((prompt) =>
    sendAgain(restored, prompt),
  );
  assert.deepEqual(await Promise.all(sent), [202, 202, 202, 409, 409, 409]);
  await logsAtRest(store, deadline);
  assert.deepEqual(await audit(store), []);
});

function isIn(
  logs: Awaited<ReturnType<typeof logsAtRest>>,
  { sessionId, promptId }: { sessionId: string; promptId: string },
): boolean {
  const log = logs.get(sessionId) ?? [];
  return log.some((event) => event.type === "prompt.accepted" && event.promptId === promptId);
}

async function growPast(store: Store, { sessionId, seq }: LaneEvent): Promise<void> {
  const actor = { kind: "client", id: "grower" } as const;
  const rename = { type: "session.rename", sessionId, auto: false, actor } as const;
  for (let count = (await store.lane(sessionId))?.seq ?? seq; count <= seq; count += 1) {
    await store.execute({ command: { ...rename, title: `title ${count}` } });
  }
}

async function lastKnown({ url }: Cluster): Promise<{ feed: string }> {
  const store = await openPostgresStore({ url, connections: 2 });
  try {
    return { feed: await store.feedEnd() };
  } finally {
    await store.close();
  }
}

/** Sends the same id with another text: accepted if the id is new, refused if it is known. */
async function sendAgain(
  { nodes }: Cluster,
  { sessionId, promptId }: { sessionId: string; promptId: string },
): Promise<number> {
  const { url = "", token = "" } = nodes[0]?.address() ?? {};
  const response = await fetch(`${url}/v1/sessions/${sessionId}/prompts`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ promptId, text: "say that once more" }),
  });
  await response.text();
  return response.status;
}

async function read({ nodes }: Cluster, path: string): Promise<string> {
  const { url = "", token = "" } = nodes[0]?.address() ?? {};
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200);
  return response.text();
}
