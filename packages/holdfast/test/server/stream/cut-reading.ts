import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { NodeSink, streamHeaders } from "../../../src/server/stream/sink.ts";
import { listen } from "./listen.ts";
import { createParser } from "./reader.ts";
import { startStream } from "./stream-fixture.ts";
import type { StreamFixture } from "./stream-fixture.ts";

/** Opens a stream after an event; the connection can be cut anywhere. */
export type Connect = (after: string | null) => Promise<ReadableStream<Uint8Array>>;

/** Reads with random disconnects during runs, and compares with the log at the end. */
export async function expectEveryEventOnce(
  fixture: StreamFixture,
  options: { sessionId: string | null; cuts: number; connect: Connect },
): Promise<void> {
  const { sessionId, cuts, connect } = options;
  const sessions = ["main", "other"];
  for (const id of sessions) {
    await fixture.runtime.createSession({ sessionId: id, directory: "/project" });
  }
  const random = seeded(20_301);
  const seen: unknown[] = [];
  let after: string | null = null;
  for (let cut = 0; cut <= cuts; cut += 1) {
    const body = await connect(after);
    // The last connection reads to the end; the others are cut anywhere.
    const bytes = cut === cuts ? Number.POSITIVE_INFINITY : Math.floor(random() * 3_000);
    const work =
      cut < cuts * 0.4 ? fixture.exchange(sessions[cut % 2] ?? "main", `prompt-${cut}`) : null;
    const read = await readBytes(body, { bytes, until: work });
    await work;
    for (const { id, data } of read) {
      if (id === null) continue;
      seen.push(data);
      after = id;
    }
  }
  const logs = await Promise.all(sessions.map((id) => fixture.log(id)));
  const wanted = sessionId === null ? logs : logs.slice(0, 1);
  const bySession = sessions
    .slice(0, wanted.length)
    .map((id) => seen.filter((event) => sessionOf(event) === id));
  assert.deepEqual(bySession, JSON.parse(JSON.stringify(wanted)));
  assert.equal(
    seen.length,
    wanted.reduce((sum, log) => sum + log.length, 0),
  );
}

/** The streams of a fixture through a server's socket, as a browser would ask for them. */
export async function overSocket(
  context: TestContext,
  fixture: StreamFixture,
  sessionId: string | null,
): Promise<Connect> {
  const port = await listen(context, (incoming, outgoing) => {
    outgoing.writeHead(200, streamHeaders);
    outgoing.flushHeaders();
    const given = incoming.headers["last-event-id"];
    const after = typeof given === "string" ? given : null;
    const request = { sessionId, after };
    void startStream(fixture.streams, { sink: new NodeSink(outgoing), request });
  });
  return async (after) => {
    const headers = after === null ? undefined : { "last-event-id": after };
    const init = headers === undefined ? {} : { headers };
    const { body } = await fetch(`http://127.0.0.1:${port}/`, init);
    assert(body !== null);
    return body;
  };
}

/** Reads this many bytes of a stream, or until it is live and the work is done. */
async function readBytes(
  body: ReadableStream<Uint8Array>,
  { bytes, until }: { bytes: number; until: Promise<void> | null },
): Promise<{ id: string | null; data: unknown }[]> {
  const reader = body.getReader();
  const parser = createParser();
  const messages: { id: string | null; data: unknown }[] = [];
  const stop = until?.then(() => ({ done: true, value: undefined }) as const);
  let left = bytes;
  let isLive = false;
  for (;;) {
    const reading = reader.read();
    const { done, value } = await (isLive && stop !== undefined
      ? Promise.race([reading, stop])
      : reading);
    if (done) break;
    parser.push(value.subarray(0, left));
    left -= value.length;
    for (let next = parser.take(); next !== null; next = parser.take()) {
      messages.push(next);
      isLive ||= next.event === "live";
    }
    if (left <= 0 || (isLive && until === null)) break;
  }
  await reader.cancel();
  return messages;
}

function sessionOf(event: unknown): unknown {
  return typeof event === "object" && event !== null && "sessionId" in event
    ? event.sessionId
    : null;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
