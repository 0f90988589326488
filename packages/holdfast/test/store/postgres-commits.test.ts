import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { waitFor } from "../support/wait-for.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";
import type { Answer } from "../../src/kernel/transaction.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { audit } from "./audit.ts";
import { done, openLane, verdict } from "./lane-client.ts";
import { startProxy } from "./postgres-chaos/proxy.ts";

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("P1: a commit whose answer is lost is looked up, not repeated, and gets its original answer", async () => {
  const url = await server.createDatabase();
  // Every commit reaches the server, but no response comes back.
  const proxy = await startProxy(server.port, () => 0.5);
  const store = await openPostgresStore({
    url: url.replace(String(server.port), String(proxy.port)),
  });
  try {
    proxy.cutCommits(1);
    const told: LaneEvent[] = [];
    const keep = (answer: Answer): void => void told.push(...done(answer).events);
    const lane = openLane(store, "s");
    keep(await lane.create());
    keep(await lane.accept("p1"));
    keep(await lane.start("r1"));
    keep(await lane.boundary());
    keep(await lane.answer([{ callId: "c1", repeatable: false }]));
    keep(await lane.startTool("c1"));
    const create = { contentHash: "created", directory: "/project" };
    keep(await lane.link({ sessionId: "child", promptId: "q1" }, { background: true, create }));
    const parent = { sessionId: "s", runId: "r1", background: true };
    done(await openLane(store, "child").accept("q1", { parent }));
    keep(await lane.endTool("c1"));
    keep(await lane.end());
    assert.deepEqual(await lane.events(), told);
    assert.equal(proxy.cuts(), 10);

    // A cancel that covers nothing writes no event. Its id identifies a repetition.
    const receipt = done(await lane.cancel("idle")).receipt;
    proxy.cutCommits(0);
    await lane.accept("p2");
    assert.deepEqual(done(await lane.cancel("idle")).receipt, receipt);
    assert.deepEqual(await audit(store), []);
  } finally {
    await store.close();
    await proxy.close();
  }
});

test("P1: if the database stays unavailable, requests fail as unavailable in limited time", async () => {
  const url = await server.createDatabase();
  const proxy = await startProxy(server.port);
  const store = await openPostgresStore({
    url: url.replace(String(server.port), String(proxy.port)),
    unavailableAfter: 200,
  });
  try {
    const lane = openLane(store, "s");
    await lane.create();
    await proxy.close();
    const unavailable = { code: "storeUnavailable", retryable: true };
    await assert.rejects(lane.accept("p1"), unavailable);
    await assert.rejects(store.lane("s"), unavailable);
  } finally {
    await store.close();
  }
});

test("a flood of accepts from another process does not starve the owner's writes", async () => {
  const url = await server.createDatabase();
  const owner = await openPostgresStore({ url });
  const other = await openPostgresStore({ url });
  try {
    const lane = openLane(owner, "s");
    await lane.create();
    await lane.accept("p0");
    const handle = await lane.start("r1", { maxSteps: 1_000 }).then(() => lane.handle());
    const owning = Promise.withResolvers<"over">();
    let flood = 0;
    const flooding = Array.from({ length: 4 }, async () => {
      for (let end: unknown = null; end !== "over"; flood += 1) {
        const accepted = openLane(other, "s").accept(`flood-${flood}`);
        end = await Promise.race([owning.promise, accepted]);
        await accepted;
      }
    });
    for (let step = 0; step < 30; step += 1) {
      assert.equal(verdict(await lane.boundary(handle)), "done");
      assert.equal(verdict(await lane.answer([], handle)), "done");
    }
    owning.resolve("over");
    await Promise.all(flooding);
    assert.ok(flood > 4);
    assert.deepEqual(await audit(owner), []);
  } finally {
    await owner.close();
    await other.close();
  }
});

test("L5: a process that froze inside a transaction blocks its lane no longer than the timeouts", async () => {
  const url = await server.createDatabase();
  const timeouts = { lock: 100, idleInTransaction: 300 };
  const store = await openPostgresStore({ url, timeouts });
  const frozen = new Client({
    connectionString: url,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
  });
  frozen.on("error", () => {});
  await frozen.connect();
  try {
    const lane = openLane(store, "s");
    await lane.create();
    await frozen.query("BEGIN");
    await frozen.query("SELECT FROM holdfast.lanes WHERE session_id = 's' FOR UPDATE");
    assert.equal(verdict(await lane.accept("p1")), "done");
    assert.equal(verdict(await lane.start("r1")), "done");
  } finally {
    await store.close();
    await frozen.end();
  }
});

test("a closed store finishes earlier requests, refuses later ones, and leaves no connection", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const lane = openLane(store, "s");
  const asked = [lane.create(), lane.accept("p1"), lane.accept("p2")];
  const closed = Promise.all([store.close(), store.close()]);
  await assert.rejects(lane.accept("p3"), { code: "storeClosed" });
  await assert.rejects(store.lane("s"), { code: "storeClosed" });
  assert.deepEqual((await Promise.all(asked)).map(verdict), ["done", "done", "done"]);
  await closed;
  const connections = (): Promise<unknown[]> =>
    queryOnce(
      url,
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast' AND datname = current_database()",
    );
  await waitFor(connections, {
    describe: "closed connections",
    until: (open) => open.length === 0,
  });
});
