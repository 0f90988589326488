import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { LaneState } from "../../src/kernel/state.ts";
import { Channel } from "../../src/store/postgres/channel.ts";
import { LaneCache } from "../../src/store/postgres/lane-cache.ts";
import { settingsOf } from "../../src/store/postgres/options.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { Signals } from "../../src/store/postgres/signals.ts";
import type { Signal } from "../../src/store/store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { openLane } from "./lane-client.ts";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

const key = randomBytes(32);

test("L3 of two commits that are reported in either order, others get the later one", async (t) => {
  const url = await server.createDatabase();
  const { idle, waiting } = await twoStates(url);
  const sender = signalsOf(url);
  const receiver = signalsOf(url);
  t.after(() => Promise.all([sender.close(), receiver.close()]));
  const heard = firstLane(receiver);
  await Promise.all([sender.open(), receiver.open()]);
  sender.changed(waiting, 1);
  sender.changed(idle, 1);
  assert.deepEqual(await heard, {
    kind: "lane",
    sessionId: "s",
    seq: waiting.seq,
    ready: null,
    wantsNothing: false,
    isForeign: true,
  });
});

test(
  "L3 others are informed at once of a commit right before a process closes",
  { timeout: 30_000 },
  async (t) => {
    const url = await server.createDatabase();
    const { waiting } = await twoStates(url);
    const sender = signalsOf(url);
    const receiver = signalsOf(url);
    t.after(() => receiver.close());
    await Promise.all([sender.open(), receiver.open()]);
    const heard = firstLane(receiver);
    sender.changed(waiting, 1);
    await sender.close();
    assert.deepEqual(await heard, {
      kind: "lane",
      sessionId: "s",
      seq: waiting.seq,
      ready: null,
      wantsNothing: false,
      isForeign: true,
    });
  },
);

test("a malformed signal is counted, and other signals still arrive", async (t) => {
  const url = await server.createDatabase();
  let rejected = 0;
  const receiver = signalsOf(url, () => (rejected += 1));
  const sender = new Channel({
    settings: settingsOf({ url }),
    key,
    prefix: "holdfast_lanes",
    onOpen: () => {},
    onText: () => true,
    onRejected: () => {},
  });
  t.after(() => Promise.all([sender.close(), receiver.close()]));
  await Promise.all([sender.open(), receiver.open()]);
  const heard: Signal[] = [];
  const last = Promise.withResolvers<void>();
  receiver.watch((signal) => {
    heard.push(signal);
    if (signal.kind === "lane" && signal.sessionId === "last") last.resolve();
  });
  await sender.send([
    "",
    "s",
    "s:x",
    "s:-1",
    "s:1e3",
    `s:${"9".repeat(16)}`,
    "é:1",
    "s:1,#{}",
    "last:2",
  ]);
  await last.promise;
  const lane = { kind: "lane", ready: null, wantsNothing: false, isForeign: true } as const;
  assert.deepEqual(heard, [
    { ...lane, sessionId: "s", seq: 1 },
    { ...lane, sessionId: "last", seq: 2 },
  ]);
  assert.equal(rejected, 8);
});

test("the lane cache keeps the later of two states, and drops one that a signal has outdated", async () => {
  const { idle, waiting } = await twoStates(await server.createDatabase());
  const cache = new LaneCache(10);
  cache.put(waiting);
  cache.put(idle);
  assert.equal(cache.get("s"), waiting);
  cache.outdate("s", waiting.seq);
  assert.equal(cache.get("s"), waiting);
  cache.outdate("s", waiting.seq + 1);
  assert.equal(cache.get("s"), null);
});

function signalsOf(url: string, onRejected: () => void = () => {}): Signals {
  return new Signals({ settings: settingsOf({ url }), key, onRejected });
}

/** A session in which nothing is to do, and one with a prompt that is ready to start. */
async function twoStates(url: string): Promise<{ idle: LaneState; waiting: LaneState }> {
  const store = await openPostgresStore({ url, connections: 2 });
  try {
    const lane = openLane(store, "s");
    await lane.create();
    const idle = await store.lane("s");
    await lane.accept("p1");
    const waiting = await store.lane("s");
    assert(idle !== null && waiting !== null);
    return { idle, waiting };
  } finally {
    await store.close();
  }
}

function firstLane(signals: Signals): Promise<Signal> {
  return new Promise((resolve) => {
    signals.watch((signal) => {
      if (signal.kind === "lane") resolve(signal);
    });
  });
}
