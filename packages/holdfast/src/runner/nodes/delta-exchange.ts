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
 * Passes deltas on between nodes (T3). A node says which sessions its readers look at; whoever works
 * on one of them answers with what is in flight, and goes on with each delta. While nobody looks from
 * elsewhere, nothing is sent.
 */
export interface DeltaExchange {
  /** Deltas of runs on other nodes, of one session or of all. */
  listen(sessionId: string | null, listener: (delta: Delta) => void): () => void;
  inFlight(sessionId: string): InFlight | null;
  allInFlight(): readonly InFlight[];
  close(): void;
}

export interface DeltaExchangeOptions {
  readonly messages: NodeMessages;
  /** What runs of this process say. */
  readonly own: DeltaHub;
  /** A name that no other process has. */
  readonly name: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** How often a node says again what it wants, and what is in flight. */
const beatEvery = 5_000;
/** What was not said again for this long does not count any more. */
const validFor = 15_000;
/** How soon what was lost is told anew. */
const tellAgainAfter = 250;

export function createDeltaExchange(options: DeltaExchangeOptions): DeltaExchange {
  const { messages, own, name, clock, onError } = options;
  const far = createDeltaHub(clock);
  /** Sessions that readers here look at, with how many; null for all sessions. */
  const looks = new Map<string | null, number>();
  /** Other nodes' wishes. */
  const wishes = new Map<string, Wish>();
  /** The step that was begun last, of each session that others are told of. */
  const begun = new Map<string, StepOf>();
  /** Steps in flight elsewhere. */
  const flights = new Map<string, { from: string; place: StepOf; until: number }>();
  let stopPassing: (() => void) | null = null;
  let again: Timer | null = null;

  const outbox = createDeltaOutbox({
    messages,
    from: name,
    clock,
    onLost: () => {
      again ??= clock.after(tellAgainAfter, tellAgain).unref();
    },
  });

  const isWanted = (sessionId: string): boolean => {
    for (const { sessions } of wishes.values()) {
      if (sessions === null || sessions.has(sessionId)) return true;
    }
    return false;
  };
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
  const tell = (flight: InFlight, to: string | null): void => {
    const { sessionId, runId, step, attempt } = flight;
    begun.set(sessionId, { sessionId, runId, step, attempt });
    outbox.add(flightMessages(flight, to));
  };
  const tellAgain = (): void => {
    again = null;
    for (const flight of own.allInFlight()) if (isWanted(flight.sessionId)) tell(flight, null);
  };
  /** While others look at nothing here, deltas cost nothing. */
  const beginPassing = (): void => {
    if (stopPassing !== null) return;
    const stops = [own.listen(null, pass), own.listenSettled(settled)];
    stopPassing = () => {
      for (const stop of stops) stop();
      begun.clear();
      stopPassing = null;
    };
  };

  const heardWish = (from: string, { sessions, anew }: Extract<DeltaMessage, { kind: "want" }>) => {
    const before = anew ? undefined : wishes.get(from);
    const wished = sessions === null ? null : new Set(sessions);
    const wish = { sessions: wished, until: clock.monotonic() + validFor };
    const isNew = (sessionId: string): boolean =>
      covers(wish, sessionId) && !covers(before, sessionId);
    // Asking for what is in flight passes on what is held back: to those who were here before.
    const flights = own.allInFlight();
    if (wished?.size === 0) wishes.delete(from);
    else wishes.set(from, wish);
    if (wishes.size === 0) stopPassing?.();
    else beginPassing();
    for (const flight of flights) if (isNew(flight.sessionId)) tell(flight, from);
    const flying = flights.flatMap(({ sessionId }) => (covers(wish, sessionId) ? [sessionId] : []));
    for (let at = 0; at < flying.length; at += maxWanted) {
      outbox.add([{ kind: "flying", sessions: flying.slice(at, at + maxWanted) }]);
    }
  };
  const isLookedAt = (sessionId: string): boolean => looks.has(null) || looks.has(sessionId);
  const forget = (sessionId: string): void => {
    if (flights.delete(sessionId)) far.settle(sessionId);
  };
  const heardBegin = (from: string, message: Extract<DeltaMessage, { kind: "begin" }>): void => {
    const { place } = message;
    const before = flights.get(place.sessionId)?.place;
    // A node that has lost the run may not know it yet.
    const isOld = before?.runId === place.runId && before.attempt > place.attempt;
    if (isOld || !isLookedAt(place.sessionId)) return;
    flights.set(place.sessionId, { from, place, until: clock.monotonic() + validFor });
    far.begin(place, message);
  };
  const heard = (from: string, message: DeltaMessage): void => {
    switch (message.kind) {
      case "want":
        heardWish(from, message);
        return;
      case "flying":
        for (const sessionId of message.sessions) {
          const flight = flights.get(sessionId);
          if (flight?.from === from) flight.until = clock.monotonic() + validFor;
        }
        return;
      case "begin":
        heardBegin(from, message);
        return;
      case "delta": {
        const { delta } = message;
        const flight = flights.get(delta.sessionId);
        if (flight?.from === from && isSame(flight.place, delta)) far.publish(delta);
        return;
      }
      case "settle": {
        const { sessionId, callId } = message;
        if (flights.get(sessionId)?.from !== from) return;
        if (callId === null) forget(sessionId);
        else far.settleCall(sessionId, callId);
        return;
      }
    }
  };

  const want = (anew: boolean): void => {
    const sessions = [...looks.keys()].flatMap((sessionId) => sessionId ?? []);
    const all = looks.has(null) || sessions.length > maxWanted;
    outbox.add([{ kind: "want", sessions: all ? null : sessions, anew }]);
  };
  const beat = (): void => {
    const now = clock.monotonic();
    for (const [from, { until }] of wishes) if (until < now) wishes.delete(from);
    if (wishes.size === 0) stopPassing?.();
    for (const [sessionId, { until }] of flights) if (until < now) forget(sessionId);
    if (looks.size > 0) want(false);
  };
  const beating = repeat({ work: beat, first: beatEvery, every: beatEvery, onError, clock });
  const stopListening = messages.listen({
    message: (text) => {
      const read = decodeMessages(text);
      if (read.status !== "read") return read.status !== "unreadable";
      for (const message of read.messages) {
        const isForOthers = "to" in message && message.to !== null && message.to !== name;
        if (!isForOthers) heard(read.from, message);
      }
      return true;
    },
    missed: () => {
      for (const sessionId of flights.keys()) forget(sessionId);
      if (looks.size > 0) want(true);
    },
  });
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
    close: () => {
      void beating.stop();
      again?.cancel();
      stopListening();
      stopPassing?.();
      outbox.close();
    },
  };
}

/** Null for all sessions. */
interface Wish {
  readonly sessions: ReadonlySet<string> | null;
  readonly until: number;
}

function covers(wish: Wish | undefined, sessionId: string): boolean {
  return wish !== undefined && (wish.sessions === null || wish.sessions.has(sessionId));
}

function isSame(one: StepOf | undefined, other: StepOf): boolean {
  return one?.runId === other.runId && one.step === other.step && one.attempt === other.attempt;
}
