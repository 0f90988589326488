import type { Delta } from "../../runner/delta-hub.ts";
import type { InFlight } from "../../runner/in-flight.ts";
import { frame } from "./frame.ts";
import type { StepGate } from "./step-gate.ts";
import type { Subscriber } from "./subscriber.ts";

/** Source of the deltas of one session, or of all sessions. */
export interface DeltaSource {
  listen(listener: (delta: Delta) => void): () => void;
  /** Returns the text so far of each step in flight. */
  inFlight(): readonly InFlight[];
}

/**
 * Readers at the same position in the log. `gate` allows deltas only for steps whose start event these readers have
 * received.
 */
export interface DeltaGroup {
  readonly members: ReadonlySet<Subscriber>;
  readonly gate: StepGate;
  /**
   * True if deltas were not sent to the group, because the group has not received the event that starts their step.
   * `advanced` sends the text later.
   */
  ahead: boolean;
}

/**
 * Sends deltas to live readers. A reader that is slow, or has not received the start of the step, gets the step's whole
 * text later, in one snapshot. Nothing is buffered for such a reader.
 */
export interface LiveDeltas {
  /** Adds a reader. The reader first gets a snapshot of the steps in flight, then every delta. */
  add(group: DeltaGroup, subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  /**
   * Call this after each delivery of events to the group. If deltas were withheld from the group (`ahead` is true), sends
   * its readers a snapshot of each step in flight whose start event they have received by now.
   */
  advanced(group: DeltaGroup): void;
}

export function createLiveDeltas(options: {
  source: DeltaSource;
  groups: () => Iterable<DeltaGroup>;
}): LiveDeltas {
  const { source, groups } = options;
  const readers = new Set<Subscriber>();
  /** Readers whose buffer had no room for a delta. They wait for a snapshot. */
  const lagging = new Set<Subscriber>();
  let stop: (() => void) | null = null;

  const snapshots = (group: DeltaGroup): Snapshot[] =>
    source.inFlight().flatMap((flight) => {
      const { sessionId } = flight;
      if (group.gate.covers(flight)) {
        return [{ sessionId, bytes: frame({ event: "snapshot", data: flight }) }];
      }
      group.ahead = true;
      return [];
    });
  const groupOf = (subscriber: Subscriber): DeltaGroup | null => {
    for (const group of groups()) if (group.members.has(subscriber)) return group;
    return null;
  };
  const catchUp = async (subscriber: Subscriber): Promise<void> => {
    lagging.add(subscriber);
    await subscriber.sink.drained();
    const group = groupOf(subscriber);
    const missed = group === null ? [] : snapshots(group);
    lagging.delete(subscriber);
    for (const snapshot of missed) give(subscriber, snapshot);
  };
  const give = (subscriber: Subscriber, { sessionId, bytes }: Snapshot): void => {
    if (!readers.has(subscriber) || lagging.has(subscriber)) return;
    if (subscriber.allows !== null && !subscriber.allows(sessionId)) return;
    if (!subscriber.offer(bytes)) void catchUp(subscriber);
  };
  const pass = (delta: Delta): void => {
    const piece = { sessionId: delta.sessionId, bytes: frame({ event: "delta", data: delta }) };
    for (const group of groups()) {
      if (group.gate.covers(delta)) for (const member of group.members) give(member, piece);
      else group.ahead = true;
    }
  };
  return {
    add: (group, subscriber) => {
      if (!subscriber.deltas) return;
      stop ??= source.listen(pass);
      // Take the snapshots before adding the reader. Taking a snapshot also sends buffered deltas to all readers, and
      // the snapshot already contains these deltas, so the new reader must not get them twice.
      const begun = snapshots(group);
      readers.add(subscriber);
      for (const snapshot of begun) give(subscriber, snapshot);
    },
    remove: (subscriber) => {
      readers.delete(subscriber);
      lagging.delete(subscriber);
      if (readers.size > 0) return;
      stop?.();
      stop = null;
    },
    advanced: (group) => {
      if (!group.ahead) return;
      group.ahead = false;
      for (const snapshot of snapshots(group)) {
        for (const member of group.members) give(member, snapshot);
      }
    },
  };
}

interface Snapshot {
  readonly sessionId: string;
  readonly bytes: Buffer;
}
