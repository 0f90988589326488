import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { drainingSchema } from "../../../src/contract/stream.ts";
import { openLane } from "../../store/lane-client.ts";
import { tamper } from "../../runner/support/tampered-store.ts";
import type { TamperedStore } from "../../runner/support/tampered-store.ts";
import { readStream } from "./reader.ts";
import { openStreamFixture } from "./stream-fixture.ts";
import type { StreamFixture } from "./stream-fixture.ts";
import { WebSink } from "../../../src/server/stream/sink.ts";

async function openTampered(
  t: TestContext,
): Promise<{ fixture: StreamFixture; store: TamperedStore }> {
  const { promise, resolve } = Promise.withResolvers<TamperedStore>();
  const fixture = await openStreamFixture(t, {
    around: (opened) => {
      const tampered = tamper(opened);
      resolve(tampered);
      return tampered;
    },
  });
  await fixture.runtime.createSession({ sessionId: "s", directory: "/code" });
  return { fixture, store: await promise };
}

test("M9 readers get a notice that the server is stopping, and events until its end", async (t) => {
  const fixture = await openStreamFixture(t);
  const { runtime, streams } = fixture;
  await runtime.createSession({ sessionId: "s", directory: "/code" });
  const readers = [await fixture.read({ sessionId: "s" }), await fixture.read()];
  for (const reader of readers) await reader.until("live");
  streams.announceDraining(1_000);
  const notice = { id: null, event: "draining", data: { until: 1_000 } };
  for (const reader of readers) assert.deepEqual(await reader.next(), notice);
  const late = await fixture.read({ sessionId: "s" });
  assert.deepEqual(await late.next(), notice, "a reader that joins later gets the notice first");
  await late.until("live");
  assert.deepEqual(drainingSchema.parse(notice.data), notice.data);
  const past = await fixture.read({ sessionId: "s", follow: false });
  const whole = (await past.until("live")).map(({ event }) => event);
  assert.deepEqual(whole, ["session.created", "live"], "who follows nothing has nothing to fear");

  await fixture.exchange("s", "p");
  await streams.drain();
  for (const reader of [...readers, late]) {
    const types = (await reader.until("closed")).map(({ event }) => event);
    assert.equal(types.includes("prompt.settled"), true);
    assert.equal(types.includes("draining"), false, "it is said once");
  }
});

test("M9 T2 a live reader gets all events committed before the drain, even if it is many pages behind", async (t) => {
  const { fixture, store } = await openTampered(t);
  const readers = [await fixture.read({ sessionId: "s" }), await fixture.read()];
  for (const reader of readers) await reader.until("live");
  const release = store.hang(["events", "feed"]);
  const lane = openLane(store, "s");
  for (let index = 0; index < 120; index += 1) {
    await lane.send({ type: "session.rename", title: `title ${index}`, auto: false });
  }
  const drained = fixture.streams.drain();
  release();
  await drained;
  const later = (await fixture.log("s")).slice(1);
  for (const reader of readers) {
    const seen = await reader.until("closed");
    const events = seen.filter(({ id }) => id !== null);
    assert.deepEqual(
      events.map(({ data }) => data),
      later,
    );
  }
});

test("M9 a drain closes a reader that is still catching up, without waiting for it", async (t) => {
  const { fixture, store } = await openTampered(t);
  const release = store.hang(["events", "feed"]);
  const readers = [await fixture.read({ sessionId: "s" }), await fixture.read()];
  await fixture.streams.drain();
  for (const [index, reader] of readers.entries()) {
    const data = { reason: "draining", after: index === 0 ? "0" : "" };
    assert.deepEqual(await reader.next(), { id: null, event: "closed", data });
    assert.equal(await reader.next(), null);
  }
  release();
});

test("M9 a reader that was admitted before the drain and starts after it gets the log and is closed", async (t) => {
  const fixture = await openStreamFixture(t);
  await fixture.runtime.createSession({ sessionId: "s", directory: "/code" });
  const request = { after: null, deltas: true, follow: true, mayUse: null };
  const opened = await Promise.all(
    ["s", null].map((sessionId) => fixture.streams.open({ ...request, sessionId })),
  );
  await fixture.streams.drain();
  for (const stream of opened) {
    const sink = new WebSink();
    stream.start(sink);
    const types = (await readStream(sink.body).until("closed")).map(({ event }) => event);
    assert.deepEqual(types, ["session.created", "live", "closed"]);
  }
  assert.deepEqual(fixture.streams.count(), { session: 0, all: 0 });
});
