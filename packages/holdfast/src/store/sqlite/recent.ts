import type { LedgerRow } from "../../kernel/ledger.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { keepLast } from "../keep-last.ts";
import type { Body } from "../store.ts";
import type { WrittenLane } from "./writes.ts";

/**
 * What this process has just committed, as it was written. Whoever works on a prompt reads it back at
 * once, and nobody else can have changed it meanwhile.
 */
export interface Recent {
  /** The session's events after a seq; null when they do not reach back so far. */
  events(sessionId: string, after: number): readonly LaneEvent[] | null;
  /** Null when it is to be looked for in the database. */
  prompt(sessionId: string, promptId: string): LedgerRow | null;
  body(hash: string): Uint8Array | null;
  /** The position of the log's last event; null when it is to be looked for in the database. */
  end(): number | null;
  /** Only after the commit. */
  add(commit: { lanes: readonly WrittenLane[]; bodies: readonly Body[]; end: number }): void;
  clear(): void;
}

const keptLanes = 256;
const keptEvents = 16;
const keptPrompts = 4;
const keptBodies = 256;
/** Larger ones take longer to be decoded than to be read. */
const largestBody = 8 * 1024;

interface RecentLane {
  events: readonly LaneEvent[];
  readonly prompts: Map<string, LedgerRow>;
}

export function createRecent(): Recent {
  const lanes = new Map<string, RecentLane>();
  const bodies = new Map<string, Uint8Array>();
  let end: number | null = null;
  return {
    events: (sessionId, after) => {
      const events = lanes.get(sessionId)?.events ?? [];
      const [first] = events;
      if (first === undefined || first.seq > after + 1) return null;
      return events.filter(({ seq }) => seq > after);
    },
    prompt: (sessionId, promptId) => lanes.get(sessionId)?.prompts.get(promptId) ?? null,
    body: (hash) => bodies.get(hash) ?? null,
    end: () => end,
    add: (commit) => {
      end = commit.end;
      for (const { known, events, prompts } of commit.lanes) {
        const { sessionId } = known.state;
        const lane = lanes.get(sessionId) ?? { events: [], prompts: new Map() };
        lane.events = [...lane.events, ...events].slice(-keptEvents);
        for (const [key, value] of prompts) keepLast(lane.prompts, { key, value }, keptPrompts);
        keepLast(lanes, { key: sessionId, value: lane }, keptLanes);
      }
      for (const { hash, content } of commit.bodies) {
        // An empty one may be in parts.
        if (content.byteLength > 0 && content.byteLength <= largestBody) {
          keepLast(bodies, { key: hash, value: content }, keptBodies);
        }
      }
    },
    clear: () => {
      end = null;
      lanes.clear();
      bodies.clear();
    },
  };
}
