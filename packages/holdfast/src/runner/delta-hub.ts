import type { DeltaKind } from "../agent/agent.ts";
import type { Clock, Timer } from "../base/time.ts";
import { createInFlightText } from "./in-flight.ts";
import type { InFlight, InFlightText } from "./in-flight.ts";

/** A piece of a stream: which run, step and attempt it belongs to, so that it can be taken back. */
export interface Delta {
  readonly sessionId: string;
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly kind: DeltaKind;
  readonly callId: string | null;
  readonly text: string;
}

/** Passes deltas on, coalesced: it never blocks a run and never grows without bound (T3). */
export interface DeltaHub {
  publish(delta: Delta): void;
  listen(sessionId: string | null, listener: (delta: Delta) => void): () => void;
  /** What a listener who had been here from the beginning would have by now; null for nothing. */
  inFlight(sessionId: string): InFlight | null;
  allInFlight(): readonly InFlight[];
  /** The step's answer is about to be in the log: passes on what is held back, and forgets it all. */
  settle(sessionId: string): void;
  /** The same for what one call has said. */
  settleCall(sessionId: string, callId: string): void;
  /**
   * Deltas of this step follow, from its beginning. `again`: listeners may have some of it, which is
   * taken back; `cut`: of what came first, some is left out.
   */
  begin(place: StepOf, said: { again: boolean; cut: boolean }): void;
  /** Calls back when something is settled; the call is null for the whole step. */
  listenSettled(listener: (sessionId: string, callId: string | null) => void): () => void;
}

/** Which step a delta belongs to. */
export type StepOf = Pick<Delta, "sessionId" | "runId" | "step" | "attempt">;

/** How long pieces are gathered before they are passed on. */
const window = 20;
/** More text than this is not held back: what came first is dropped, the log has it all later. */
const maxHeld = 64 * 1024;

export function createDeltaHub(clock: Clock): DeltaHub {
  const listeners = new Set<{ sessionId: string | null; listener: (delta: Delta) => void }>();
  const settledListeners = new Set<(sessionId: string, callId: string | null) => void>();
  const held = new Map<string, Delta>();
  const texts = new Map<string, InFlightText>();
  let timer: Timer | null = null;

  const deliver = (delta: Delta): void => {
    for (const { sessionId, listener } of listeners) {
      if (sessionId === null || sessionId === delta.sessionId) listener(delta);
    }
  };
  const flushAll = (): void => {
    timer = null;
    const deltas = [...held.values()];
    held.clear();
    for (const delta of deltas) deliver(delta);
  };
  const flush = (sessionId: string): void => {
    const waiting = held.get(sessionId);
    if (waiting === undefined) return;
    held.delete(sessionId);
    deliver(waiting);
  };
  const inFlight = (sessionId: string): InFlight | null => {
    flush(sessionId);
    return texts.get(sessionId)?.show() ?? null;
  };
  const textOf = (sessionId: string): InFlightText => {
    const text = texts.get(sessionId) ?? createInFlightText(sessionId);
    texts.set(sessionId, text);
    return text;
  };
  return {
    publish: (delta) => {
      textOf(delta.sessionId).add(delta);
      if (listeners.size === 0) return;
      const waiting = held.get(delta.sessionId);
      if (waiting !== undefined && continues(waiting, delta)) {
        const text = (waiting.text + delta.text).slice(-maxHeld);
        held.set(delta.sessionId, { ...waiting, text });
        return;
      }
      if (waiting !== undefined) deliver(waiting);
      held.set(delta.sessionId, delta);
      timer ??= clock.after(window, flushAll).unref();
    },
    listen: (sessionId, listener) => {
      const entry = { sessionId, listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    inFlight,
    allInFlight: () => [...texts.keys()].flatMap((sessionId) => inFlight(sessionId) ?? []),
    settle: (sessionId) => {
      flush(sessionId);
      texts.delete(sessionId);
      for (const listener of settledListeners) listener(sessionId, null);
    },
    settleCall: (sessionId, callId) => {
      flush(sessionId);
      texts.get(sessionId)?.forget(callId);
      for (const listener of settledListeners) listener(sessionId, callId);
    },
    begin: (place, { again, cut }) => {
      flush(place.sessionId);
      textOf(place.sessionId).begin(place, cut);
      if (again) deliver({ ...place, kind: "restart", callId: null, text: "" });
    },
    listenSettled: (listener) => {
      settledListeners.add(listener);
      return () => settledListeners.delete(listener);
    },
  };
}

/** One piece goes on where the other has ended. */
export function continues(before: Delta, after: Delta): boolean {
  return (
    before.runId === after.runId &&
    before.step === after.step &&
    before.attempt === after.attempt &&
    before.kind === after.kind &&
    before.callId === after.callId
  );
}
