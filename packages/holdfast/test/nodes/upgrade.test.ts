import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { schemaVersion } from "../../src/store/migrate.ts";
import { migrations } from "../../src/store/postgres/migrations.ts";
import { programVersion } from "../../src/base/package.ts";
import { createRandom } from "../store/chaos/random.ts";
import { queryOnce } from "../support/postgres.ts";
import { laterType, noteInLog } from "./later-event.ts";
import { makeRelease } from "./release.ts";
import { openCluster } from "./soak/cluster.ts";
import type { ClusterNode } from "./soak/cluster.ts";
import { startLoad } from "./soak/load.ts";

// Versions that do not exist yet, with changes that a future version may make.

const known = schemaVersion(migrations);
const expand = {
  version: known.version + 1,
  lowestVersion: known.lowestVersion,
  sql: "ALTER TABLE lanes ADD COLUMN colour text; CREATE TABLE colours (name text)",
};
const contract = {
  version: known.version + 2,
  lowestVersion: known.version + 1,
  sql: "DROP TABLE colours",
};

test("P1 P2 two versions run side by side, neither takes over live work of the other, and no prompt is lost", async (t) => {
  const next = makeRelease(t, { version: "98.0.0", migrations: [expand] });
  const later = makeRelease(t, { version: "99.0.0", migrations: [expand, contract] });
  const ending = new AbortController();
  // Long enough that a busy machine renews it in time: a node without a lease does not count as alive.
  const cluster = await openCluster({ nodes: 3, lease: "3s" });
  t.after(async () => {
    ending.abort();
    await cluster.close();
  });
  const [first, second, third] = cluster.nodes;
  assert(first !== undefined && second !== undefined && third !== undefined);
  await Promise.all([first.start(), second.start()]);
  let isOver = false;
  const load = await startLoad(cluster, {
    random: createRandom(Math.floor(Math.random() * 1_000_000)),
    clients: 2,
    isEnough: () => isOver,
    deadline: ending.signal,
  });

  await first.drain();
  await first.start(next);
  await seesVersions(second, [programVersion(), "98.0.0"]);
  await noteInLog(cluster.url, "session-0");

  // A change of the schema that the second node does not support is refused while that node is alive.
  await assert.rejects(third.start(later), /storeInUse: .*\(supports \d+\)/);
  await seesVersions(second, [programVersion(), "98.0.0"]);

  // Frozen beyond its lease, the node no longer counts. It wakes up with a schema that it does not support.
  const wake = second.freeze();
  const living =
    "SELECT FROM holdfast.nodes WHERE expires_at > holdfast.holdfast_now() AND knows = $1";
  await waitFor(() => queryOnce(cluster.url, living, [known.version]), {
    describe: "an ended lease",
    until: (rows) => rows.length === 0,
  });
  await third.start(later);
  wake();
  await waitFor(() => second.address(), {
    describe: "the end of the second node",
    until: (address) => address === null,
  });
  assert.match(cluster.ended.join(), /^node 1 ended by itself: 1 .*storeTooNew: the database has/s);
  await seesVersions(third, ["98.0.0", "99.0.0"]);

  isOver = true;
  await load.sent;
  // Allow the current program to read the data of the newer versions.
  await queryOnce(cluster.url, "UPDATE holdfast.meta SET lowest_version = 1");
  const { problems, logs } = await load.judge();
  assert.deepEqual(problems, []);
  const events = [...logs.values()].flat();
  t.diagnostic(`${load.told.accepted.length} prompts, ${events.length} events`);
  assert.ok(events.some(({ type }) => type === laterType));
});

/** Waits: a node announces its version a moment after it has joined. */
async function seesVersions(node: ClusterNode, versions: readonly string[]): Promise<void> {
  await waitFor(() => listedVersions(node), {
    describe: `nodes of the versions ${versions.join(", ")}`,
    until: (listed) => listed.join() === versions.join(),
  });
}

async function listedVersions(node: ClusterNode): Promise<string[]> {
  const { url = "", token = "" } = node.address() ?? {};
  const response = await fetch(`${url}/v1/nodes`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const list: { items: { version: string | null }[] } = JSON.parse(await response.text());
  return list.items.map(({ version }) => version ?? "unknown").toSorted();
}
