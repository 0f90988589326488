import { setImmediate } from "node:timers/promises";
import { sleep } from "../../base/time.ts";
import { follow } from "../../log/follow.ts";
import type { EventLog, FramePage } from "./event-log.ts";
import { createLiveDeltas } from "./live-deltas.ts";
import type { DeltaGroup, DeltaSource } from "./live-deltas.ts";
import { seqOf } from "./session-place.ts";
import type { StepGate } from "./step-gate.ts";
import type { Subscriber } from "./subscriber.ts";

/** Readers of one log that are at its end. New events are read and encoded once for all of them. */
export interface Live {
  /**
   * Adds a reader that has received all events so far. `gate` allows deltas only for steps whose start event the reader
   * has received.
   */
  join(subscriber: Subscriber, gate: StepGate): void;
  /** Signals that there are new events. `seq` is the highest one, if it is known. */
  wake(seq: number | null): void;
  /** Delivers all committed events, then closes the streams. */
  drain(): Promise<void>;
}

/** Readers at the same position. Groups that reach the same position are merged. */
interface Group extends DeltaGroup {
  after: string;
  readonly members: Set<Subscriber>;
  /** Makes the group read its log again. The group ends after the read if it has no readers. */
  wake: () => void;
  ended: Promise<void>;
}

/** Events per page. A page is read once for all readers at the same position. */
const pageSize = 50;
/** Milliseconds that a group pauses before its next read, for each reader in the group. */
const restPerReader = 0.02;
/** Maximum milliseconds that a group of readers pauses before its next read. */
const maxRest = 10;

/**
 * Pauses briefly before the next read. Writing to many readers takes time; because of the pause, several events go out
 * in one write per reader.
 */
async function rest(group: { readonly members: ReadonlySet<unknown> }): Promise<void> {
  const pause = Math.floor(Math.min(maxRest, group.members.size * restPerReader));
  if (pause > 0) await sleep(pause, { keepsAlive: false });
}

export function createLive(options: {
  log: EventLog;
  source: DeltaSource;
  onEmpty: () => void;
  onError: (error: unknown) => void;
}): Live {
  const { log, source, onError } = options;
  const groups = new Map<string, Group>();
  const deltas = createLiveDeltas({ source, groups: () => groups.values() });
  let draining = false;

  const leave = (subscriber: Subscriber): void => {
    deltas.remove(subscriber);
    for (const group of groups.values()) {
      if (!group.members.delete(subscriber) || group.members.size > 0) continue;
      forget(group);
      group.wake();
    }
  };
  /** Removes the group, so that no more readers join it. */
  const forget = (group: Group): void => {
    if (groups.get(group.after) !== group) return;
    groups.delete(group.after);
    if (groups.size === 0) options.onEmpty();
  };
  /**
   * Moves a group of readers to a new position in the log. Returns false if another group is already there: then the
   * readers have joined that group.
   */
  const move = (group: Group, after: string): boolean => {
    groups.delete(group.after);
    group.after = after;
    const other = groups.get(after);
    if (other === undefined) {
      groups.set(after, group);
      return true;
    }
    for (const member of group.members) other.members.add(member);
    return false;
  };
  const deliver = (group: Group, page: Extract<FramePage, { status: "frames" }>): boolean => {
    const { frames, after } = page;
    if (frames.length === 0) return after === group.after || move(group, after);
    const bytes = Buffer.concat(frames.map((entry) => entry.bytes));
    for (const member of group.members) member.deliver({ bytes, frames, after });
    // All readers were too slow and were disconnected, so no more readers may join the group.
    if (group.members.size === 0) return false;
    for (const { event } of frames) group.gate.observe(event);
    deltas.advanced(group);
    return move(group, after);
  };
  const closeAll = (group: Group, reason: "draining" | "reset"): void => {
    forget(group);
    for (const member of group.members) member.close(reason);
  };
  const run = async (group: Group): Promise<void> => {
    const { after } = group;
    const hints = (ring: () => void): (() => void) => {
      group.wake = ring;
      return () => {};
    };
    const paging = { after, limit: pageSize, poll: null, onError };
    for await (const page of follow({ ...log, hints }, paging)) {
      if (group.members.size === 0) return;
      if (page.status === "reset") return closeAll(group, "reset");
      if (!deliver(group, page)) return;
      if (page.more) await setImmediate();
      else if (draining) return closeAll(group, "draining");
      else if (page.frames.length > 0) await rest(group);
    }
  };
  const begin = (after: string, gate: StepGate): Group => {
    const group: Group = {
      after,
      gate,
      ahead: false,
      members: new Set(),
      wake: () => {},
      ended: Promise.resolve(),
    };
    groups.set(after, group);
    return group;
  };
  return {
    join: (subscriber, gate) => {
      const found = groups.get(subscriber.after);
      const group = found ?? begin(subscriber.after, gate);
      deltas.add(group, subscriber);
      group.members.add(subscriber);
      subscriber.sink.gone.addEventListener("abort", () => leave(subscriber), { once: true });
      if (found === undefined) group.ended = run(group).catch(onError);
    },
    wake: (seq) => {
      for (const group of groups.values()) {
        if (seq === null || seqOf(group.after) < seq) group.wake();
      }
    },
    drain: async () => {
      draining = true;
      const all = [...groups.values()];
      for (const group of all) group.wake();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
