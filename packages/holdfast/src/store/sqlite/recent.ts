import type { LedgerRow } from "../../kernel/ledger.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { keepLast } from "../../base/bounded-map.ts";
import type { Body } from "../store.ts";
import type { WrittenLane } from "./writes.ts";

/**
 * Cache of this process's latest commits. A process often reads a prompt right after it has written it, and no other
 * process can have changed the prompt in between.
 */
export interface Recent {
  /** Returns the session's events after a seq; null if the cache does not have all of them. */
  events(sessionId: string, after: number): readonly LaneEvent[] | null;
  /** Returns a prompt's row; null: not in memory, so the caller reads the database. */
  prompt(sessionId: string, promptId: string): LedgerRow | null;
  body(hash: string): Uint8Array | null;
  /** Returns the position of the last event in the log; null: not in memory, so the caller reads the database. */
  end(): number | null;
  /** Adds the data of a commit to the cache. Call this only after the commit has succeeded. */
  add(commit: { lanes: readonly WrittenLane[]; bodies: readonly Body[]; end: number }): void;
  clear(): void;
}

const keptLanes = 256;
const keptEvents = 16;
const keptPrompts = 4;
const keptBodies = 256;
/** Maximum bytes of content to cache: decoding more takes longer than reading it from the database. */
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
        // Do not cache empty content: content that is stored in parts has an empty row.
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
