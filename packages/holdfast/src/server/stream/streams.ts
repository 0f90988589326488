import { ApiError } from "../errors.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { InFlight } from "../../runner/in-flight.ts";
import { catchUp } from "./catch-up.ts";
import { createDirectories } from "./directories.ts";
import { allLog, now, sessionLog } from "./event-log.ts";
import type { Encode, EventLog } from "./event-log.ts";
import type { Follower } from "./follower.ts";
import { frame, placeFrame } from "./frame.ts";
import { createLive } from "./live.ts";
import type { Live } from "./live.ts";
import { createMaintenanceFrames } from "./maintenance-frames.ts";
import { seqOf } from "./session-place.ts";
import type { Sink } from "./sink.ts";
import { createStepGate, openGate } from "./step-gate.ts";
import type { StepGate } from "./step-gate.ts";
import { Subscriber } from "./subscriber.ts";
import type { CloseReason } from "./subscriber.ts";
import { omitDamagedContent } from "../wire/event.ts";

/** All event streams of this process. */
export interface Streams {
  /** Checks the start position of a reader. Throws `badCursor` if it is invalid. */
  open(request: OpenStream): Promise<OpenedStream>;
  /** Returns the number of open streams: those that follow a single session, and those that follow all sessions. */
  count(): { readonly session: number; readonly all: number };
  /** Tells all current and future readers that this process is stopping. */
  announceDraining(until: number): void;
  /** Delivers all committed events to live readers, then closes all streams. */
  drain(): Promise<void>;
}

export interface OpenStream {
  /** Null: the stream contains the events of all sessions. */
  readonly sessionId: string | null;
  /** Position to start after. Null: from the beginning. `now`: only new events. */
  readonly after: string | null;
  readonly deltas: boolean;
  /** False: end the stream after the last event in the log. */
  readonly follow: boolean;
  /** Selects sessions by their directory; null: all sessions. */
  readonly mayUse: ((directory: string) => boolean) | null;
}

export interface OpenedStream {
  /** Writes to the sink until the reader disconnects or the stream ends. */
  start(sink: Sink): RunningStream;
}

export interface RunningStream {
  close(reason: CloseReason): void;
}

export interface StreamsOptions {
  readonly runtime: Pick<Runtime, "store" | "deltas" | "inFlight" | "allInFlight"> & {
    readonly maintenance: Pick<Runtime["maintenance"], "open" | "onChange">;
  };
  readonly follower: Follower;
  readonly encode: Encode;
  readonly maxBuffer?: number;
  /** Calls `work` at an interval, until the returned function is called. */
  readonly every?: (milliseconds: number, work: () => void) => () => void;
  readonly onError: (error: unknown) => void;
}

const beatEvery = 15_000;
/**
 * Poll interval in milliseconds for streams with the events of all sessions: their longest delay if a signal of the
 * database is lost. A stream of a single session needs no polling, because `follower` wakes it for each new event.
 */
const pollEvery = 1_000;

export function createStreams(options: StreamsOptions): Streams {
  const { runtime, follower, onError, maxBuffer = 1024 * 1024, every = onTimer } = options;
  const { store } = runtime;
  const encode = omitDamagedContent(options);
  const directories = createDirectories(
    async (sessionId) => (await store.lane(sessionId))?.directory ?? null,
  );
  const maintenance = createMaintenanceFrames(runtime.maintenance);
  const lives = new Map<string | null, Live>();
  const subscribers = new Map<Subscriber, string | null>();
  const cleanups: (() => void)[] = [];
  let draining = false;
  let notice: Buffer | null = null;

  const wakeAll = (): void => {
    for (const live of lives.values()) live.wake(null);
  };
  const beginWork = (): void => {
    cleanups.push(
      store.watch((signal) => {
        if (signal.kind === "missed") wakeAll();
        else {
          lives.get(signal.sessionId)?.wake(signal.seq);
          lives.get(null)?.wake(null);
        }
      }),
      follower.listen(({ sessionId, seq }) => lives.get(sessionId)?.wake(seq)),
      every(pollEvery, () => lives.get(null)?.wake(null)),
      every(beatEvery, () => {
        for (const subscriber of subscribers.keys()) subscriber.beat();
      }),
    );
  };
  const endWork = (): void => {
    for (const cleanUp of cleanups.splice(0)) cleanUp();
  };
  const logOf = (sessionId: string | null): EventLog =>
    sessionId === null
      ? allLog({ store, encode, directories })
      : sessionLog({ store, sessionId, encode });
  const liveOf = (log: EventLog): Live => {
    const { sessionId } = log;
    const found = lives.get(sessionId);
    if (found !== undefined) return found;
    const live = createLive({
      log,
      source: {
        listen: (listener) => runtime.deltas(sessionId, listener),
        inFlight: () => inFlightOf(runtime, sessionId),
      },
      onEmpty: () => lives.delete(sessionId),
      onError,
    });
    lives.set(sessionId, live);
    return live;
  };
  /**
   * Returns the gate, which decides for which steps a reader gets text while it is being written. The reader must have
   * received all events of the session up to `after`. Returns null if the session has later events.
   */
  const gateAt = async (log: EventLog, after: string): Promise<StepGate | null> => {
    if (log.sessionId === null) return openGate;
    const state = await store.lane(log.sessionId);
    return state === null || state.seq <= seqOf(after) ? createStepGate(state) : null;
  };
  const serve = async (
    log: EventLog,
    reader: { subscriber: Subscriber; follow: boolean },
  ): Promise<void> => {
    const { subscriber, follow } = reader;
    for (let tries = 1; await catchUp(log, { subscriber, onError }); tries += 1) {
      const gate = follow ? await gateAt(log, subscriber.after) : openGate;
      // A reader may never catch up with a log that grows constantly. After some attempts it goes live without the
      // deltas of the step in flight.
      if (gate === null && tries < maxTries) continue;
      if (subscriber.sink.gone.aborted) return;
      const { after } = subscriber;
      const data = { seq: log.sessionId === null ? null : seqOf(after), cursor: after };
      subscriber.write(frame({ event: "live", data }));
      if (!follow) subscriber.sink.end(null);
      else if (draining) subscriber.close("draining");
      else liveOf(log).join(subscriber, gate ?? createStepGate(null));
      return;
    }
  };
  return {
    open: async ({ sessionId, after, deltas, follow, mayUse }) => {
      if (draining) throw new ApiError("draining", "the server is stopping; try again in a moment");
      const log = logOf(sessionId);
      const begin = await log.begin(after);
      const allows =
        mayUse === null
          ? null
          : (id: string) => {
              const directory = directories.of(id);
              return directory !== null && mayUse(directory);
            };
      return {
        start: (sink) => {
          const subscriber = new Subscriber({
            sink,
            deltas,
            allows,
            maxBuffer,
            after: begin.after,
          });
          if (subscribers.size === 0) beginWork();
          subscribers.set(subscriber, sessionId);
          const forget = (): void => {
            subscribers.delete(subscriber);
            if (subscribers.size === 0) endWork();
          };
          sink.gone.addEventListener("abort", forget, { once: true });
          if (sink.gone.aborted) forget();
          if (begin.reset) {
            const data = { cursor: begin.after };
            subscriber.write(frame({ id: begin.after, event: "reset", data }));
          }
          // Send the position at once. Otherwise a reader that is disconnected before its first event would resume
          // with `now` and miss events.
          if (after === now) subscriber.write(placeFrame(begin.after));
          if (notice !== null && follow) subscriber.send(notice);
          if (sessionId === null && follow) maintenance.add(subscriber, mayUse);
          void serve(log, { subscriber, follow }).catch((error: unknown) => {
            onError(error);
            // Nothing would deliver events to this reader any more. It reconnects and resumes (T2).
            sink.end(null);
          });
          return { close: (reason) => subscriber.close(reason) };
        },
      };
    },
    count: () => {
      const all = [...subscribers.values()].filter((sessionId) => sessionId === null).length;
      return { session: subscribers.size - all, all };
    },
    announceDraining: (until) => {
      notice = frame({ event: "draining", data: { until } });
      for (const subscriber of subscribers.keys()) subscriber.send(notice);
    },
    drain: async () => {
      draining = true;
      await Promise.all([...lives.values()].map((live) => live.drain()));
      for (const subscriber of subscribers.keys()) subscriber.close("draining");
    },
  };
}

const maxTries = 5;

function inFlightOf(
  runtime: Pick<Runtime, "inFlight" | "allInFlight">,
  sessionId: string | null,
): readonly InFlight[] {
  if (sessionId === null) return runtime.allInFlight();
  const flight = runtime.inFlight(sessionId);
  return flight === null ? [] : [flight];
}

function onTimer(milliseconds: number, work: () => void): () => void {
  const timer = setInterval(work, milliseconds).unref();
  return () => clearInterval(timer);
}
