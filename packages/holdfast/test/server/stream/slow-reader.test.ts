import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { listen } from "./listen.ts";
import { readStream } from "./reader.ts";
import { openStreamFixture, startStream } from "./stream-fixture.ts";
import type { StreamFixture } from "./stream-fixture.ts";
import { NodeSink, WebSink } from "../../../src/server/stream/sink.ts";

const beat = 15_000;

test("P5: a live reader that does not keep up is disconnected with a reason, and resumes without loss", async (context) => {
  const fixture = await openStreamFixture(context, { maxBuffer: 20_000 });
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const sink = new WebSink();
  await startStream(fixture.streams, { sink, request: { sessionId: "main" } });
  const reader = readStream(sink.body);
  const begun = await reader.until("live");
  // The reader reads nothing while prompts of 4 kB each are accepted.
  for (let count = 0; count < 20; count += 1) await say(fixture, "x".repeat(4_000));
  assert.ok(sink.buffered() < 30_000, `${sink.buffered()} bytes are held for it`);
  const seen = await reader.until("closed");
  assert.equal(await reader.next(), null);
  const events = [...begun, ...seen].filter(({ id }) => id !== null);
  const after = events.at(-1)?.id ?? null;
  assert.deepEqual(seen.at(-1)?.data, { reason: "slowReader", after });
  const rest = await (
    await fixture.read({ sessionId: "main", after, follow: false })
  ).until("live");
  const whole = await (await fixture.read({ sessionId: "main", follow: false })).until("live");
  assert.deepEqual([...events, ...rest], whole);
  assert.deepEqual(fixture.streams.count(), { session: 0, all: 0 });
});

test("P5: a reader that catches up slowly sets its own pace, and is not disconnected", async (context) => {
  const fixture = await openStreamFixture(context, { maxBuffer: 20_000 });
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  for (let count = 0; count < 60; count += 1) await say(fixture, "x".repeat(10_000));
  const sink = new WebSink();
  await startStream(fixture.streams, { sink, request: { sessionId: "main" } });
  const reader = readStream(sink.body);
  let most = 0;
  for (;;) {
    const message = await reader.next();
    most = Math.max(most, sink.buffered());
    if (message?.event === "live") break;
    assert(message !== null && message.event !== "closed");
  }
  assert.ok(most < 200_000, `${most} bytes were held for it`);
});

test("P5: for a reader that reads nothing, little is loaded, however long the events are", async (context) => {
  let bytes = 0;
  const fixture = await openStreamFixture(context, {
    around: (store) => ({
      ...store,
      body: async (hash) => {
        const content = await store.body(hash);
        bytes += content?.length ?? 0;
        return content;
      },
    }),
  });
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  for (let count = 0; count < 20; count += 1) await say(fixture, "x".repeat(60_000));
  bytes = 0;
  const sink = new WebSink();
  await startStream(fixture.streams, { sink, request: { sessionId: "main", follow: false } });
  await waitFor(() => sink.buffered(), {
    describe: "64 KiB in the buffer",
    until: (count) => count >= 64 * 1024,
  });
  for (let round = 0; round < 100; round += 1) await new Promise(setImmediate);
  assert.ok(bytes < 500_000, `${bytes} bytes were read for it`);
  const seen = await readStream(sink.body).until("live");
  assert.deepEqual(seen.filter(({ id }) => id !== null).length, seen.length - 1);
  const prompts = seen.filter(({ event }) => event === "prompt.accepted");
  assert.equal(prompts.length, 20, "all of it comes once it is taken");
});

test("P5: a socket whose reader sleeps is closed, while others and the run continue", async (context) => {
  const fixture = await openStreamFixture(context, { maxBuffer: 50_000 });
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const port = await listen(context, (_, outgoing) => {
    outgoing.writeHead(200);
    outgoing.flushHeaders();
    void startStream(fixture.streams, {
      sink: new NodeSink(outgoing),
      request: { sessionId: "main" },
    });
  });
  const sleeper = connect(port, "127.0.0.1");
  context.after(() => sleeper.destroy());
  sleeper.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n");
  sleeper.pause();
  const other = await fixture.read({ sessionId: "main" });
  await other.until("live");
  await waitFor(() => fixture.streams.count().session, {
    describe: "two streams",
    until: (count) => count >= 2,
  });
  // More than the kernel's buffers on both sides can hold.
  for (let count = 0; fixture.streams.count().session === 2; count += 1) {
    assert.ok(count < 1_000, "a reader that takes nothing is still there");
    await say(fixture, "x".repeat(60_000));
    await other.until("prompt.settled");
  }
});

test("an idle stream sends heartbeats; one that reads nothing for a minute is closed", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  const sink = new WebSink();
  await startStream(fixture.streams, { sink, request: { sessionId: "main" } });
  const reader = readStream(sink.body);
  await reader.until("live");
  fixture.tick(beat);
  await say(fixture, "hello");
  await reader.until("prompt.settled");
  assert.equal(reader.heartbeats(), 1);
  await say(fixture, "never read");
  await say(fixture, "never read either");
  await waitFor(() => sink.buffered(), {
    describe: "bytes in the buffer",
    until: (count) => count > 0,
  });
  for (let count = 0; count < 6; count += 1) fixture.tick(beat);
  assert.deepEqual(fixture.streams.count(), { session: 0, all: 0 });
  const seen = await reader.until("closed");
  assert.equal(reader.heartbeats(), 1);
  const last = seen.findLast(({ id }) => id !== null);
  assert.deepEqual(seen.at(-1)?.data, { reason: "slowReader", after: last?.id });
});

async function say(fixture: StreamFixture, text: string): Promise<void> {
  await fixture.runtime.prompt({ sessionId: "main", text, reply: false });
}
