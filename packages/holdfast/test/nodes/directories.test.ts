import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { openPostgresPlace } from "../runner/support/place.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";

async function isHere(directory: string): Promise<boolean> {
  return directory === "/here";
}

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test("L3 a node skips sessions whose directory it does not have, and they do not delay others", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { url, runtimes: 1, isPresent: isHere });
  const { holdfast } = place.first;
  const elsewhere = Array.from({ length: 119 }, (_, index) => `away${index}`);
  const wait = async (sessionId: string): Promise<void> => {
    await holdfast.createSession({ sessionId, directory: "/away" });
    await holdfast.prompt({ sessionId, promptId: "p", text: "wait" });
  };
  await wait("longest");
  await Promise.all(elsewhere.map(wait));
  await holdfast.createSession({ sessionId: "here", directory: "/here" });
  await place.prompt("p1", { sessionId: "here" });
  await (await place.puppets.next("here")).finish("done");
  assert.equal(await place.outcome("p1", "here"), "completed");
  assert.deepEqual(place.puppets.begun, ["p1"]);
  const { waiting, absent } = await holdfast.status();
  assert.deepEqual(
    { waiting, absent },
    { waiting: 120, absent: [{ directory: "/away", waiting: 120 }] },
  );
  const alone = await holdfast.nodes();
  assert.deepEqual(alone.nowhere, ["/away"]);

  // A node that has the directory runs the waiting prompt, and the first node no longer reports it as missing.
  const second = await place.open({ isPresent: async (directory) => directory === "/away" });
  const taken = await place.puppets.next("longest");
  assert.equal(taken.agent, second.name);
  const both = await second.holdfast.nodes();
  const known = both.nodes.map(({ self, about }) => `${self} ${about?.pid}`);
  assert.deepEqual(known.toSorted(), [`false ${process.pid}`, `true ${process.pid}`]);
  assert.deepEqual(both.nowhere, []);
  const owner = both.nodes.find(({ self }) => self);
  assert.ok(owner?.lanes.includes("longest"));
});

test("R1 an interrupted run continues on a node that has its directory", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { url, runtimes: 1, leaseTtl: 1_500 });
  const run = await place.openStep("p1");
  const other = await place.open({ isPresent: async () => false });
  const nodeId = place.first.holdfast.nodeId();
  await place.first.crash();
  await assert.rejects(run.answer("too late", []));
  await waitFor(() => other.holdfast.nodes(), {
    describe: "an abandoned session whose directory is nowhere",
    until: ({ abandoned, nowhere }) => abandoned.includes("main") && nowhere.includes("/project"),
  });
  const lanes = await other.holdfast.store.ownedLanes();
  assert.deepEqual(lanes, [{ nodeId, sessionId: "main" }]);
  const third = await place.open();
  const taken = await place.puppets.next();
  assert.deepEqual([taken.agent, taken.context.attempt], [third.name, 2]);
  await taken.finish("done");
  assert.equal(await place.outcome("p1"), "completed");
});
