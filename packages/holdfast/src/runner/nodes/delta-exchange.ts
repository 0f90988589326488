import { repeat } from "../../base/repeat.ts";
import type { Clock, Timer } from "../../base/time.ts";
import type { NodeMessages } from "../../store/store.ts";
import { createDeltaHub } from "../delta-hub.ts";
import type { Delta, DeltaHub, StepOf } from "../delta-hub.ts";
import type { InFlight } from "../in-flight.ts";
import { decodeMessages, deltaMessages, flightMessages, maxWanted } from "./delta-message.ts";
import type { DeltaMessage } from "./delta-message.ts";
import { createDeltaOutbox } from "./delta-outbox.ts";

/**
 * Exchanges deltas between nodes (T3). A node announces which sessions its readers follow. A node that executes a run
 * of such a session sends the text so far and then each delta. If no other node follows a session, nothing is sent.
 */
export interface DeltaExchange {
  /** Calls the listener with deltas of runs on other nodes: of one session, or of all (null). */
  listen(sessionId: string | null, listener: (delta: Delta) => void): () => void;
  inFlight(sessionId: string): InFlight | null;
  allInFlight(): readonly InFlight[];
  close(): void;
}

export interface DeltaExchangeOptions {
  readonly messages: NodeMessages;
  /** Deltas of this process's runs. */
  readonly own: DeltaHub;
  /** Unique name of this process. */
  readonly name: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds after which a node repeats its messages `want` and `flying` to the other nodes. */
const beatEvery = 5_000;
/** Milliseconds after which a node forgets another node's message `want` or `flying` if the message is not repeated. */
const validFor = 15_000;
/** Milliseconds after which the text in flight is sent again if messages were lost. */
const sendAgainAfter = 250;

export function createDeltaExchange(options: DeltaExchangeOptions): DeltaExchange {
  const { messages, name, clock, onError } = options;
  const outbox = createDeltaOutbox({
    messages,
    from: name,
    clock,
    onLost: () => sender.lost(),
  });
  const sender = createSender(options, outbox);
  const reader = createReader(options, outbox);
  const stopListening = messages.listen({
    message: (text) => {
      const read = decodeMessages(text);
      if (read.status !== "read") return read.status !== "unreadable";
      for (const message of read.messages) {
        const isForOthers = "to" in message && message.to !== null && message.to !== name;
        if (isForOthers) continue;
        if (message.kind === "want") sender.heard(read.from, message);
        else reader.heard(read.from, message);
      }
      return true;
    },
    missed: () => reader.missed(),
  });
  const beat = (): void => {
    sender.beat();
    reader.beat();
  };
  const beating = repeat({ work: beat, first: beatEvery, every: beatEvery, onError, clock });
  return {
    listen: (sessionId, listener) => reader.listen(sessionId, listener),
    inFlight: (sessionId) => reader.inFlight(sessionId),
    allInFlight: () => reader.allInFlight(),
    close: () => {
      void beating.stop();
      stopListening();
      sender.close();
      outbox.close();
    },
  };
}

type WantMessage = Extract<DeltaMessage, { kind: "want" }>;

interface Sender {
  heard(from: string, message: WantMessage): void;
  /** Call this when outgoing messages were lost. Sends the text in flight again. */
  lost(): void;
  beat(): void;
  close(): void;
}

/** Sends deltas of this process's runs to the nodes that want them. */
function createSender(
  { own, clock }: DeltaExchangeOptions,
  outbox: ReturnType<typeof createDeltaOutbox>,
): Sender {
  /** Sessions whose deltas other nodes want, by node. */
  const interests = new Map<string, Interest>();
  /** The last step that was announced, by session. */
  const begun = new Map<string, StepOf>();
  let stopPassing: (() => void) | null = null;
  let again: Timer | null = null;

  const isWanted = (sessionId: string): boolean =>
    interests.values().some((interest) => covers(interest, sessionId));
  const pass = (delta: Delta): void => {
    const { sessionId, runId, step, attempt } = delta;
    if (!isWanted(sessionId)) return;
    const place = { sessionId, runId, step, attempt };
    if (!isSame(begun.get(sessionId), place)) {
      begun.set(sessionId, place);
      outbox.add([{ kind: "begin", to: null, place, again: false, cut: false }]);
    }
    outbox.add(deltaMessages(delta, null));
  };
  const settled = (sessionId: string, callId: string | null): void => {
    if (!begun.has(sessionId)) return;
    if (callId === null) begun.delete(sessionId);
    outbox.add([{ kind: "settle", sessionId, callId }]);
  };
  const sendFlight = (flight: InFlight, to: string | null): void => {
    const { sessionId, runId, step, attempt } = flight;
    begun.set(sessionId, { sessionId, runId, step, attempt });
    outbox.add(flightMessages(flight, to));
  };
  const sendAgain = (): void => {
    again = null;
    for (const flight of own.allInFlight())
      if (isWanted(flight.sessionId)) sendFlight(flight, null);
  };
  /** Listens to local deltas while another node wants some, and stops when none does. */
  const passWhileWanted = (): void => {
    if (interests.size === 0) stopPassing?.();
    if (interests.size === 0 || stopPassing !== null) return;
    const unlisten = [own.listen(null, pass), own.listenSettled(settled)];
    stopPassing = () => {
      for (const stop of unlisten) stop();
      begun.clear();
      stopPassing = null;
    };
  };

  return {
    heard: (from, { sessions, anew }) => {
      const before = anew ? undefined : interests.get(from);
      const wanted = sessions === null ? null : new Set(sessions);
      const interest = { sessions: wanted, until: clock.monotonic() + validFor };
      const isNew = (sessionId: string): boolean =>
        covers(interest, sessionId) && !covers(before, sessionId);
      // Read the text in flight before the new node is added to `interests`. Reading also sends buffered deltas to all
      // nodes in `interests`. The new node gets the whole text below, so it would get these deltas twice.
      const flights = own.allInFlight();
      if (wanted?.size === 0) interests.delete(from);
      else interests.set(from, interest);
      passWhileWanted();
      for (const flight of flights) if (isNew(flight.sessionId)) sendFlight(flight, from);
      outbox.add(flyingMessages(flights, interest));
    },
    lost: () => {
      again ??= clock.after(sendAgainAfter, sendAgain).unref();
    },
    beat: () => {
      const now = clock.monotonic();
      for (const [from, { until }] of interests) if (until < now) interests.delete(from);
      if (interests.size === 0) stopPassing?.();
    },
    close: () => {
      again?.cancel();
      stopPassing?.();
    },
  };
}

/** Builds messages that announce which of the wanted sessions still have a step in flight. */
function flyingMessages(flights: readonly InFlight[], interest: Interest): DeltaMessage[] {
  const flying = flights.flatMap(({ sessionId }) =>
    covers(interest, sessionId) ? [sessionId] : [],
  );
  const starts = Array.from(
    { length: Math.ceil(flying.length / maxWanted) },
    (_, n) => n * maxWanted,
  );
  return starts.map((at) => ({ kind: "flying", sessions: flying.slice(at, at + maxWanted) }));
}

interface Reader extends Omit<DeltaExchange, "close"> {
  heard(from: string, message: Exclude<DeltaMessage, WantMessage>): void;
  /**
   * Call this when messages from other nodes may have been lost. Asks these nodes to send the text of their running
   * steps again.
   */
  missed(): void;
  beat(): void;
}

/** Collects deltas of other nodes' runs for the readers in this process. */
function createReader(
  { clock }: DeltaExchangeOptions,
  outbox: ReturnType<typeof createDeltaOutbox>,
): Reader {
  const far = createDeltaHub(clock);
  /** Number of local readers by session; the key null counts readers of all sessions. */
  const looks = new Map<string | null, number>();
  /** Steps in flight on other nodes, by session. */
  const flights = new Map<string, { from: string; place: StepOf; until: number }>();

  const isLookedAt = (sessionId: string): boolean => looks.has(null) || looks.has(sessionId);
  const forget = (sessionId: string): void => {
    if (flights.delete(sessionId)) far.settle(sessionId);
  };
  const want = (anew: boolean): void => {
    const sessions = [...looks.keys()].flatMap((sessionId) => sessionId ?? []);
    const all = looks.has(null) || sessions.length > maxWanted;
    outbox.add([{ kind: "want", sessions: all ? null : sessions, anew }]);
  };
  const heardBegin = (from: string, message: Extract<DeltaMessage, { kind: "begin" }>): void => {
    const { place } = message;
    const before = flights.get(place.sessionId)?.place;
    // Ignore an older attempt: its node may not know yet that it has lost the run.
    const isOld = before?.runId === place.runId && before.attempt > place.attempt;
    if (isOld || !isLookedAt(place.sessionId)) return;
    flights.set(place.sessionId, { from, place, until: clock.monotonic() + validFor });
    far.begin(place, message);
  };
  const unlook = (sessionId: string | null): void => {
    const left = (looks.get(sessionId) ?? 1) - 1;
    if (left > 0) {
      looks.set(sessionId, left);
      return;
    }
    looks.delete(sessionId);
    for (const flown of flights.keys()) if (!isLookedAt(flown)) forget(flown);
    want(false);
  };
  return {
    listen: (sessionId, listener) => {
      const count = looks.get(sessionId) ?? 0;
      looks.set(sessionId, count + 1);
      const stop = far.listen(sessionId, listener);
      if (count === 0) want(false);
      return () => {
        stop();
        unlook(sessionId);
      };
    },
    inFlight: (sessionId) => far.inFlight(sessionId),
    allInFlight: () => far.allInFlight(),
    heard: (from, message) => {
      if (message.kind === "begin") heardBegin(from, message);
      else if (message.kind === "flying") {
        for (const sessionId of message.sessions) {
          const flight = flights.get(sessionId);
          if (flight?.from === from) flight.until = clock.monotonic() + validFor;
        }
      } else if (message.kind === "delta") {
        const { delta } = message;
        const flight = flights.get(delta.sessionId);
        if (flight?.from === from && isSame(flight.place, delta)) far.publish(delta);
      } else if (flights.get(message.sessionId)?.from === from) {
        const { sessionId, callId } = message;
        if (callId === null) forget(sessionId);
        else far.settleCall(sessionId, callId);
      }
    },
    missed: () => {
      for (const sessionId of flights.keys()) forget(sessionId);
      if (looks.size > 0) want(true);
    },
    beat: () => {
      const now = clock.monotonic();
      for (const [sessionId, { until }] of flights) if (until < now) forget(sessionId);
      if (looks.size > 0) want(false);
    },
  };
}

/** Sessions whose deltas a node wants; null: all sessions. */
interface Interest {
  readonly sessions: ReadonlySet<string> | null;
  readonly until: number;
}

function covers(interest: Interest | undefined, sessionId: string): boolean {
  return interest !== undefined && (interest.sessions === null || interest.sessions.has(sessionId));
}

function isSame(one: StepOf | undefined, other: StepOf): boolean {
  return one?.runId === other.runId && one.step === other.step && one.attempt === other.attempt;
}
