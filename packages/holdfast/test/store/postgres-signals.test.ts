import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
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

test("L3 of two commits that are reported in either order, others hear what the later one wants", async (t) => {
  const url = await server.createDatabase();
  const { idle, waiting } = await twoStates(url);
  const settings = settingsOf({ url });
  const sender = new Signals(settings);
  const receiver = new Signals(settings);
  t.after(() => Promise.all([sender.close(), receiver.close()]));
  const heard = firstLane(receiver);
  const { older, text: texts } = olderProgram(t, settings);
  await Promise.all([sender.open(), receiver.open(), older.open()]);
  sender.changed(waiting);
  sender.changed(idle);
  assert.deepEqual(await heard, {
    kind: "lane",
    sessionId: "s",
    seq: waiting.seq,
    wantsNothing: false,
    isForeign: true,
  });
  assert.equal(await texts, `s:${waiting.seq}`);
});

test("ADR 19: programs that know nothing of what a lane wants hear its version, and are heard", async (t) => {
  const url = await server.createDatabase();
  const { idle } = await twoStates(url);
  const settings = settingsOf({ url });
  const newer = new Signals(settings);
  t.after(() => newer.close());
  const { older, text: texts } = olderProgram(t, settings);
  await Promise.all([newer.open(), older.open()]);
  newer.changed(idle);
  const text = await texts;
  const colon = text.lastIndexOf(":");
  assert.deepEqual([text.slice(0, colon), Number(text.slice(colon + 1))], ["s", idle.seq]);

  const heard = firstLane(newer);
  await older.send(["s:7"]);
  assert.deepEqual(await heard, {
    kind: "lane",
    sessionId: "s",
    seq: 7,
    wantsNothing: false,
    isForeign: true,
  });
});

test(
  "L3 others hear at once of what was committed just before a process closes",
  { timeout: 30_000 },
  async (t) => {
    const url = await server.createDatabase();
    const { waiting } = await twoStates(url);
    const settings = settingsOf({ url });
    const sender = new Signals(settings);
    const receiver = new Signals(settings);
    t.after(() => receiver.close());
    await Promise.all([sender.open(), receiver.open()]);
    const heard = firstLane(receiver);
    sender.changed(waiting);
    await sender.close();
    assert.deepEqual(await heard, {
      kind: "lane",
      sessionId: "s",
      seq: waiting.seq,
      wantsNothing: false,
      isForeign: true,
    });
  },
);

test("L5 others are told the state with the signal, in texts that fit, and read what is too long", async (t) => {
  const url = await server.createDatabase();
  const { waiting } = await twoStates(url);
  const settings = settingsOf({ url });
  const told: LaneState[] = [];
  const sender = new Signals(settings);
  const receiver = new Signals(settings, (state) => told.push(state));
  t.after(() => receiver.close());
  await Promise.all([sender.open(), receiver.open()]);
  const named = Array.from({ length: 40 }, (_, number) => ({
    ...waiting,
    sessionId: `s${number}`,
    title: "é".repeat(number === 7 ? 1_000 : 100),
  }));
  const heard = new Set<string>();
  const all = Promise.withResolvers<void>();
  receiver.watch((signal) => {
    if (signal.kind === "lane") heard.add(signal.sessionId);
    if (heard.has("last")) all.resolve();
  });
  for (const state of named) sender.changed(state);
  await sender.close();
  const last = new Signals(settings);
  await last.open();
  last.changed({ ...waiting, sessionId: "last", title: "x".repeat(2_000) });
  await last.close();
  await all.promise;
  assert.deepEqual(
    told,
    named.filter(({ sessionId }) => sessionId !== "s7"),
  );
  assert.equal(heard.size, 41);
});

test("L5 a text of states that can't be read is passed over", async (t) => {
  const url = await server.createDatabase();
  const { waiting } = await twoStates(url);
  const settings = settingsOf({ url });
  const { promise: told, resolve: tell } = Promise.withResolvers<LaneState>();
  const receiver = new Signals(settings, tell);
  const sender = new Signals(settings);
  t.after(() => Promise.all([sender.close(), receiver.close()]));
  const { older } = olderProgram(t, settings);
  await Promise.all([sender.open(), receiver.open(), older.open()]);
  await older.send(["#{", "#", '#{"queue":7}']);
  sender.changed(waiting);
  assert.deepEqual(await told, waiting);
});

test("L5 what others have written is remembered of lanes that are written here too, and never an older state", async () => {
  const { idle, waiting } = await twoStates(await server.createDatabase());
  const cache = new LaneCache(10);
  cache.refresh(idle);
  assert.equal(cache.has("s"), false);
  cache.put(idle);
  cache.refresh(waiting);
  assert.equal(cache.get("s"), waiting);
  cache.refresh(idle);
  assert.equal(cache.get("s"), waiting);
  cache.outdate("s", waiting.seq);
  assert.equal(cache.get("s"), waiting);
  cache.outdate("s", waiting.seq + 1);
  assert.equal(cache.get("s"), null);
});

/** A lane of which nobody wants anything, and the same with a prompt that waits for its start. */
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

/** Hears what is sent to everybody as it was before there was anything but a version in it. */
function olderProgram(
  t: TestContext,
  settings: ReturnType<typeof settingsOf>,
): { older: Channel; text: Promise<string> } {
  const { promise: text, resolve: onText } = Promise.withResolvers<string>();
  const older = new Channel({ settings, prefix: "holdfast", onOpen: () => {}, onText });
  t.after(() => older.close());
  return { older, text };
}

function firstLane(signals: Signals): Promise<Signal> {
  return new Promise((resolve) => {
    signals.watch((signal) => {
      if (signal.kind === "lane") resolve(signal);
    });
  });
}
