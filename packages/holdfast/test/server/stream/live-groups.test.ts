import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { sessionLog } from "../../../src/server/stream/event-log.ts";
import { createLive } from "../../../src/server/stream/live.ts";
import { WebSink } from "../../../src/server/stream/sink.ts";
import { openGate } from "../../../src/server/stream/step-gate.ts";
import { Subscriber } from "../../../src/server/stream/subscriber.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../../store/lane-client.ts";
import { databaseFile } from "../../store/sqlite/folder.ts";
import { readStream } from "./reader.ts";

test("a reader gets all events after a slow reader that was ahead of it was disconnected (T2)", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  t.after(() => store.close());
  const lane = openLane(store, "main");
  const rename = (title: string): Promise<unknown> =>
    lane.send({ type: "session.rename", title, auto: false });
  await lane.create();
  await rename("first");
  const log = sessionLog({ store, sessionId: "main", encode: async (event) => event });
  const [behind, end] = [(await log.read("0", 1)).after, (await log.read("0", 2)).after];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const live = createLive({
    log: {
      ...log,
      read: async (after, limit) => {
        if (after === end) await held;
        return log.read(after, limit);
      },
    },
    source: { listen: () => () => {}, inFlight: () => [] },
    onEmpty: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  const join = (after: string, { maxBuffer }: { maxBuffer: number }): WebSink => {
    const sink = new WebSink();
    const subscriber = new Subscriber({ sink, deltas: false, after, allows: null, maxBuffer });
    // A reader is too slow if bytes wait already and more would exceed its buffer.
    subscriber.write(Buffer.from(": waiting\n\n"));
    live.join(subscriber, openGate);
    return sink;
  };
  const reader = readStream(join(end, { maxBuffer: 1_000_000 }).body);
  await rename("second");
  // The slow reader gets both events on one page, so it is ahead of the other reader when it is disconnected.
  await once(join(behind, { maxBuffer: 1 }).gone, "abort");
  release();
  await reader.until("session.renamed");
  await rename("third");
  live.wake(4);
  const [third] = await reader.until("session.renamed");
  assert.equal(third?.id, (await log.read("0", 4)).after);
  await reader.cancel();
});
