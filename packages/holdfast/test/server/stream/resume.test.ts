import assert from "node:assert/strict";
import { test } from "node:test";
import { expectEveryEventOnce, overSocket } from "./cut-reading.ts";
import { openStreamFixture, startStream } from "./stream-fixture.ts";
import { WebSink } from "../../../src/server/stream/sink.ts";

const cuts = 100;

for (const sessionId of ["main", null]) {
  const name = sessionId === null ? "all sessions" : "one session";
  test(`T2: cut and resumed at ${cuts} random places, ${name} in process, every event comes once`, async (context) => {
    const fixture = await openStreamFixture(context);
    const connect = async (after: string | null): Promise<ReadableStream<Uint8Array>> => {
      const sink = new WebSink();
      await startStream(fixture.streams, { sink, request: { sessionId, after } });
      return sink.body;
    };
    await expectEveryEventOnce(fixture, { sessionId, cuts, connect });
  });
  test(`T2: cut and resumed over a socket, ${name}, every event comes once`, async (context) => {
    const fixture = await openStreamFixture(context);
    const connect = await overSocket(context, fixture, sessionId);
    await expectEveryEventOnce(fixture, { sessionId, cuts, connect });
  });
}

test("T2: a reader resumes after a restart without loss or duplicates", async (context) => {
  const first = await openStreamFixture(context);
  await first.runtime.createSession({ sessionId: "main", directory: "/project" });
  await first.exchange("main", "one");
  const before = { session: await first.read({ sessionId: "main" }), all: await first.read() };
  const seen = {
    session: await before.session.until("live"),
    all: await before.all.until("live"),
  };
  const second = await first.restart();
  await second.exchange("main", "two");
  for (const [sessionId, messages] of [
    ["main", seen.session],
    [null, seen.all],
  ] as const) {
    const events = messages.filter(({ id }) => id !== null);
    const after = events.at(-1)?.id ?? null;
    const rest = await (await second.read({ sessionId, after, follow: false })).until("live");
    const whole = await (await second.read({ sessionId, follow: false })).until("live");
    assert.deepEqual([...events, ...rest], whole);
  }
});

test("T2: a seq without a time is a valid position in a session", async (context) => {
  const fixture = await openStreamFixture(context);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  await fixture.exchange("main", "one");
  const all = { sessionId: "main", follow: false };
  const whole = await (await fixture.read(all)).until("live");
  const rest = await (await fixture.read({ ...all, after: "2" })).until("live");
  assert.deepEqual(rest, whole.slice(2));
});
