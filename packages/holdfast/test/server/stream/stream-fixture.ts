import { join } from "node:path";
import type { TestContext } from "node:test";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { startFollower } from "../../../src/server/stream/follower.ts";
import type { Follower } from "../../../src/server/stream/follower.ts";
import type { Sink } from "../../../src/server/stream/sink.ts";
import { createStreams } from "../../../src/server/stream/streams.ts";
import type { OpenStream, Streams, StreamsOptions } from "../../../src/server/stream/streams.ts";
import { wireEvent } from "../../../src/server/wire/event.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { createPuppets } from "../../runner/support/puppets.ts";
import type { Puppets } from "../../runner/support/puppets.ts";
import { readStream } from "./reader.ts";
import type { StreamReader } from "./reader.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { WebSink } from "../../../src/server/stream/sink.ts";

/** A runtime with scripted agents, and the event streams of its process. */
export interface StreamFixture {
  readonly puppets: Puppets;
  readonly runtime: Runtime;
  readonly follower: Follower;
  readonly streams: Streams;
  /** Runs every interval timer of this length once. */
  tick(milliseconds: number): void;
  /** A reader in this process. */
  read(request?: Partial<OpenStream>): Promise<StreamReader>;
  /** Returns the errors that were reported since the last call. Errors that no test takes fail the test. */
  takeErrors(): readonly unknown[];
  /** The whole log of a session. */
  log(sessionId: string): Promise<readonly unknown[]>;
  /** One prompt with its run, from accept to outcome. */
  exchange(sessionId: string, promptId: string): Promise<void>;
  /** Closes everything and opens it again on the same store. */
  restart(between?: (store: { file: string }) => void): Promise<StreamFixture>;
}

export interface StreamFixtureOptions {
  readonly maxBuffer?: number;
  readonly store?: Store;
  readonly around?: (store: Store) => Store;
  readonly maintenance?: StreamsOptions["runtime"]["maintenance"];
}

export async function openStreamFixture(
  test: TestContext,
  options: StreamFixtureOptions = {},
): Promise<StreamFixture> {
  const folder = scratchFolder(test, "stream");
  const file = join(folder, "holdfast.db");
  return begin(test, { ...options, file });
}

async function begin(
  test: TestContext,
  options: StreamFixtureOptions & { file: string },
): Promise<StreamFixture> {
  const opened = options.store ?? (await openSqliteStore({ file: options.file }));
  const store = options.around?.(opened) ?? opened;
  const puppets = createPuppets();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const agent = puppets.agent("puppet");
  const runtime = await createRuntime({ store, agent, onError });
  const follower = await startFollower({ runtime, onError });
  const timers = new Set<{ milliseconds: number; work: () => void }>();
  const settings: StreamsOptions = {
    runtime: { ...runtime, maintenance: options.maintenance ?? runtime.maintenance },
    follower,
    encode: (event) => wireEvent(store, event),
    every: (milliseconds, work) => {
      const timer = { milliseconds, work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    onError,
    ...(options.maxBuffer === undefined ? {} : { maxBuffer: options.maxBuffer }),
  };
  const streams = createStreams(settings);
  let closing: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    await streams.drain();
    await follower.close();
    puppets.dismiss();
    await runtime.close();
    await store.close();
    if (timers.size > 0) throw new Error("a timer of the streams is left");
    if (errors.length > 0) throw new AggregateError(errors, "something went wrong unseen");
  };
  const close = (): Promise<void> => (closing ??= end());
  test.after(close);
  return {
    puppets,
    runtime,
    follower,
    streams,
    tick: (milliseconds) => {
      for (const timer of timers) if (timer.milliseconds === milliseconds) timer.work();
    },
    read: async (request = {}) => {
      const sink = new WebSink();
      await startStream(streams, { sink, request });
      return readStream(sink.body);
    },
    takeErrors: () => errors.splice(0),
    log: async (sessionId) => {
      const events = await store.events(sessionId, { after: null, limit: 1000 });
      return Promise.all(events.map((event) => wireEvent(store, event)));
    },
    exchange: async (sessionId, promptId) => {
      await runtime.prompt({ sessionId, promptId, text: `text of ${promptId}` });
      const puppet = await puppets.next(sessionId);
      await puppet.finish(`answer to ${promptId}`);
      await runtime.wait({ sessionId, promptId });
    },
    restart: async (between) => {
      await close();
      between?.(options);
      return begin(test, options);
    },
  };
}

export async function startStream(
  streams: Streams,
  { sink, request }: { sink: Sink; request: Partial<OpenStream> },
): Promise<void> {
  const opened = await streams.open({
    sessionId: null,
    after: null,
    deltas: true,
    follow: true,
    mayUse: null,
    ...request,
  });
  opened.start(sink);
}
