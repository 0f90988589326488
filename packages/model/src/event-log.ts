import type { WireEvent } from "@holdfast/sdk";

/**
 * A part of a session's log without gaps, from `first` to `last`. Empty if `first` is after `last`.
 */
export interface EventLog {
  readonly events: WireEvent[];
  /** Seq of the first event. If the log is empty: the seq that the first event will have. */
  first: number;
  /** Seq of the last event. */
  last: number;
  /** Events that arrived too early: the event before them is still missing. The key is the seq. */
  readonly early: Map<number, WireEvent>;
}

/** Creates a log whose first event is the one after seq `after`. */
export function emptyLog(after: number): EventLog {
  return { events: [], first: after + 1, last: after, early: new Map() };
}

/**
 * Adds an event. Returns the events that can be processed now: none for a duplicate or if an earlier event is missing,
 * several if the event closes a gap.
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

/** Whether an event is missing before an event that has already arrived. */
export function hasGap(log: EventLog): boolean {
  return log.early.size > 0;
}

/** Prepends an earlier part of the log, which must end right before this one. */
export function addEarlier(log: EventLog, earlier: readonly WireEvent[]): void {
  const [first] = earlier;
  if (first === undefined) return;
  if (earlier.at(-1)?.seq !== log.first - 1) {
    throw new Error(
      `expected events up to ${log.first - 1}, got events up to ${earlier.at(-1)?.seq}`,
    );
  }
  log.events.unshift(...earlier);
  log.first = first.seq;
}
