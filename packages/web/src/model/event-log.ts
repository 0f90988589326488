import type { WireEvent } from "@holdfast/sdk";

/** A part of a session's log without gaps, from `first` to `last`; empty when first is behind last. */
export interface EventLog {
  readonly events: WireEvent[];
  /** The seq of the first event that is here, or would be. */
  first: number;
  /** The seq of the last event that is here. */
  last: number;
  /** Events that came before those in front of them. */
  readonly early: Map<number, WireEvent>;
}

/** A log whose first event will be the one behind `after`. */
export function emptyLog(after: number): EventLog {
  return { events: [], first: after + 1, last: after, early: new Map() };
}

/**
 * Adds an event at the end and answers those that can be read now: none for one that is there
 * already, several where it closes a gap. One that leaves a gap waits until that is filled.
 */
export function addEvent(log: EventLog, event: WireEvent): readonly WireEvent[] {
  if (event.seq <= log.last) return [];
  log.early.set(event.seq, event);
  const ready: WireEvent[] = [];
  for (;;) {
    const next = log.early.get(log.last + 1);
    if (next === undefined) return ready;
    log.early.delete(next.seq);
    log.events.push(next);
    log.last = next.seq;
    ready.push(next);
  }
}

/** Whether events are missing in front of some that have come. */
export function hasGap(log: EventLog): boolean {
  return log.early.size > 0;
}

/** Puts an earlier part of the log in front; it must end where this one begins. */
export function addEarlier(log: EventLog, earlier: readonly WireEvent[]): void {
  const [first] = earlier;
  if (first === undefined) return;
  if (earlier.at(-1)?.seq !== log.first - 1) {
    throw new Error(`events up to ${log.first - 1} were expected, not to ${earlier.at(-1)?.seq}`);
  }
  log.events.unshift(...earlier);
  log.first = first.seq;
}
