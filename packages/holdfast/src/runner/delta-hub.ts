import type { DeltaKind } from "../agent/agent.ts";
import type { Clock, Timer } from "../base/time.ts";
import { createInFlightText } from "./in-flight.ts";
import type { InFlight, InFlightText } from "./in-flight.ts";

/** A piece of streamed text. Its run, step and attempt tell readers which text to drop if a step is repeated. */
export interface Delta {
  readonly sessionId: string;
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly kind: DeltaKind;
  readonly callId: string | null;
  readonly text: string;
}

/** Delivers deltas in batches. Never blocks a run and uses limited memory (T3). */
export interface DeltaHub {
  publish(delta: Delta): void;
  listen(sessionId: string | null, listener: (delta: Delta) => void): () => void;
  /** Returns all text of the current step that has arrived but is not stored yet; null if there is none. */
  inFlight(sessionId: string): InFlight | null;
  allInFlight(): readonly InFlight[];
  /**
   * Delivers the pieces that wait and discards the step's text. Call this when the step's answer is about to be stored.
   */
  settle(sessionId: string): void;
  /** Delivers the pieces that wait and discards the call's output. Call this when the output is about to be stored. */
  settleCall(sessionId: string, callId: string): void;
  /**
   * Starts a step's text from its beginning. `again`: listeners drop the text of this step that they already have.
   * `cut`: the start of the text is missing.
   */
  begin(place: StepOf, said: { again: boolean; cut: boolean }): void;
  /**
   * Calls the listener when a step's answer (`callId` is null) or the output of one of its tool calls is about to be
   * stored.
   */
  listenSettled(listener: (sessionId: string, callId: string | null) => void): () => void;
}

/** The step that a delta belongs to. */
export type StepOf = Pick<Delta, "sessionId" | "runId" | "step" | "attempt">;

/** Milliseconds for which new text of an answer or a tool is collected before the listeners get the text. */
const window = 20;
/**
 * Maximum number of characters that wait for delivery. If there are more, the oldest are dropped, because the log will
 * contain the whole text.
 */
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

/** True if both pieces belong to the same stream, so that they can be joined. */
export function continues(before: Delta, after: Delta): boolean {
  return (
    before.runId === after.runId &&
    before.step === after.step &&
    before.attempt === after.attempt &&
    before.kind === after.kind &&
    before.callId === after.callId
  );
}
