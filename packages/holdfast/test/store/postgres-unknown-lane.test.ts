import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { noUsage } from "../../src/kernel/state.ts";
import type { LaneState } from "../../src/kernel/state.ts";
import type { Answer } from "../../src/kernel/transaction.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { audit } from "./audit.ts";
import { done, openLane, verdict } from "./lane-client.ts";
import type { LaneClient } from "./lane-client.ts";
import { startProxy } from "./postgres-chaos/proxy.ts";

// A process accepts prompts into lanes that another process has written, and that it has never read.

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("P1: a prompt for a lane that is not cached is written like one for a cached lane", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  const tricky = ['"seq":7,', String.raw`\"seq\":7`, "\u0000 ' \ud800 \uf8ff \\1"];
  for (const [index, text] of tricky.entries()) {
    const sessionId = `s${index}`;
    const lane = openLane(store, sessionId);
    done(await lane.create({ directory: text, budget: { tokens: 5, cost: null } }));
    const title = text.replaceAll(/[\0\ud800]/g, "");
    done(await lane.send({ type: "session.rename", title, auto: false }));
    const known = await lane.state();
    const stranger = openLane(await open(), sessionId);
    const expiresAt = Date.now() + 3_600_000;
    const answer = done(await stranger.accept("p", { expiresAt, maxRunTime: 9 }));
    assert.deepEqual(answer.state, await lane.state());
    assert.deepEqual(answer.events, (await lane.events()).slice(known.seq));
    assert.deepEqual(answer.prompt, await lane.row("p"));
    assert.deepEqual(answer.state, { ...known, seq: known.seq + 1, queue: answer.state.queue });
    assert.equal(answer.state.queue.length, 1);
    assert.equal(verdict(await stranger.accept("q")), "done");
    assert.equal(verdict(await stranger.start("r")), "done");
  }
  assert.deepEqual(await audit(store), []);
});

test("P1, P3: the stored state of a lane that is not cached decides: hold, run, queue, archive, deletion", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  const cases: [string, (lane: LaneClient) => Promise<unknown>, (state: LaneState) => unknown][] = [
    ["held", (lane) => lane.hold("h"), ({ holds, queue }) => [holds.length, queue.length]],
    ["queued", (lane) => lane.accept("first"), ({ queue }) => [0, queue.length - 1]],
    ["running", runs, ({ active, queue }) => [active === null ? 0 : 1, queue.length]],
    ["archived", archives, ({ archived, queue }) => [archived ? 0 : 1, queue.length]],
    ["idle-again", runsToItsEnd, ({ active, queue }) => [active === null ? 1 : 0, queue.length]],
  ];
  for (const [sessionId, prepare, seen] of cases) {
    const lane = openLane(store, sessionId);
    done(await lane.create());
    await prepare(lane);
    const answer = done(await openLane(await open(), sessionId).accept("p"));
    assert.deepEqual(answer.events.at(0)?.type, "prompt.accepted");
    assert.deepEqual(answer.state, await lane.state());
    assert.deepEqual(seen(answer.state), sessionId === "queued" ? [0, 1] : [1, 1], sessionId);
  }
  const gone = openLane(store, "gone");
  done(await gone.create());
  done(await gone.remove());
  assert.equal(verdict(await openLane(await open(), "gone").accept("p")), "deleted");
  assert.equal(verdict(await openLane(await open(), "nobody").accept("p")), "unknownSession");
  assert.deepEqual(await audit(store), []);
});

test("a prompt of a limited sender is checked against the directory of a lane that is not cached", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  const limited = { directories: ["/project"] };
  for (const [sessionId, directory] of [
    ["inside", "/project/app"],
    ["outside", "/elsewhere"],
  ] as const) {
    done(await openLane(store, sessionId).create({ directory }));
    const stranger = openLane(await open(), sessionId);
    const answers = await Promise.all([
      stranger.accept("free"),
      stranger.accept("limited", limited),
    ]);
    assert.deepEqual(
      answers.map(verdict),
      sessionId === "inside" ? ["done", "done"] : ["done", "forbidden"],
    );
  }
  assert.deepEqual(await audit(store), []);
});

test("C7: a child's result removes the child from a lane that is not cached", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  const lane = openLane(store, "s");
  done(await lane.create());
  done(await runs(lane));
  const child = { sessionId: "child", promptId: "q" };
  const create = { contentHash: "created", directory: "/project" };
  done(await lane.link(child, { background: true, create }));
  const parent = { sessionId: "s", runId: "r", background: true };
  done(await openLane(store, "child").accept("q", { parent }));
  done(await lane.boundary());
  done(await lane.answer());
  done(await lane.end());
  assert.equal((await lane.state()).background.length, 1);
  const stranger = openLane(await open(), "s");
  const outcome = { status: "completed", reason: null, runId: "r", result: null } as const;
  const resultOf = { ...child, outcome, usage: { ...noUsage, inputTokens: 7 } };
  const { state } = done(await stranger.accept("result:q", { resultOf }));
  assert.deepEqual([state.background, state.usage.inputTokens], [[], 7]);
  assert.deepEqual(await lane.state(), state);
});

test("P3: a prompt that was accepted before is recognized by a process that has not cached its lane", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  const lane = openLane(store, "s");
  done(await lane.create());
  await runsToItsEnd(lane);
  const again = done(await openLane(await open(), "s").accept("first"));
  assert.deepEqual([again.events, again.prompt], [[], await lane.row("first")]);
  assert.equal(
    verdict(await openLane(await open(), "s").accept("first", { contentHash: "other" })),
    "conflict",
  );
  assert.deepEqual(await audit(store), []);
});

test("P2: two processes that have not cached a lane both get their prompt accepted, once", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  done(await openLane(store, "s").create());
  const strangers = await Promise.all([open(), open(), open()]);
  const answers = await Promise.all(
    strangers.flatMap((other, index) => [
      openLane(other, "s").accept(`p${index}`),
      openLane(other, "s").accept(`q${index}`),
    ]),
  );
  assert.deepEqual(
    answers.map(verdict),
    Array.from({ length: 6 }, () => "done"),
  );
  assert.equal((await openLane(store, "s").state()).queue.length, 6);
  assert.deepEqual(await audit(store), []);
});

test("prompts for many lanes that are not cached share a statement", async (t) => {
  const { open } = await openDatabase(t);
  const store = await open();
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
  for (const id of ids) done(await openLane(store, id).create());
  const stranger = await open();
  const answers = await Promise.all(ids.map((id) => openLane(stranger, id).accept("p")));
  assert.deepEqual(
    answers.map(verdict),
    Array.from({ length: 20 }, () => "done"),
  );
  assert.deepEqual(await audit(store), []);
});

test("P1: an accept whose answer is lost is looked up, not written again, and gets its original answer", async (t) => {
  const { url, open } = await openDatabase(t);
  const store = await open();
  done(await openLane(store, "s").create());
  const proxy = await startProxy(server.port, () => 0.5);
  const stranger = await openPostgresStore({
    url: url.replace(String(server.port), String(proxy.port)),
  });
  try {
    proxy.cutCommits(1);
    const answer = done(await openLane(stranger, "s").accept("p"));
    const lane = openLane(store, "s");
    assert.deepEqual(answer.events, (await lane.events()).slice(1));
    assert.deepEqual([answer.state, answer.prompt], [await lane.state(), await lane.row("p")]);
    assert.deepEqual([proxy.cuts(), answer.events.length], [1, 1]);
    assert.deepEqual(await audit(store), []);
  } finally {
    await stranger.close();
    await proxy.close();
  }
});

async function runsToItsEnd(lane: LaneClient): Promise<void> {
  done(await runs(lane));
  done(await lane.boundary());
  done(await lane.answer());
  done(await lane.end());
}

async function runs(lane: LaneClient): Promise<Answer> {
  await lane.accept("first");
  return lane.start("r");
}

function archives(lane: LaneClient): Promise<Answer> {
  return lane.send({ type: "session.archive", archived: true });
}

/** A database, and as many processes on it as are opened. */
async function openDatabase(t: TestContext): Promise<{ url: string; open: () => Promise<Store> }> {
  const url = await server.createDatabase();
  const stores: Store[] = [];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore({ url });
    stores.push(store);
    return store;
  };
  return { url, open };
}
