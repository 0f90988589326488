import type { LaneEvent } from "../../kernel/event.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ApiError } from "../errors.ts";
import type { Directories } from "./directories.ts";
import { frame } from "./frame.ts";
import { beginning, placeBehind, readPlace, seqOf } from "./session-place.ts";

/**
 * A log of one session or of all sessions, from which streams are read. Positions are opaque strings with which a
 * reader resumes.
 */
export interface EventLog {
  /** Null: the log contains the events of all sessions. */
  readonly sessionId: string | null;
  /** Returns the position at which a reader starts. Throws `badCursor` if `after` is not a valid position. */
  begin(after: string | null): Promise<Beginning>;
  /**
   * Reads up to `limit` events after a position. If the position is not in this log, returns the status `reset` and a
   * position from which to restart.
   */
  read(after: string, limit: number): Promise<FramePage>;
}

export interface Beginning {
  readonly after: string;
  /**
   * True if the position belongs to another store, or to a part of this store that was lost. The reader restarts from
   * `after`.
   */
  readonly reset: boolean;
}

/** Position that means: only new events. */
export const now = "now";

export type FramePage =
  | {
      readonly status: "frames";
      readonly frames: readonly EventFrame[];
      /** Position in the event log after the last of these events. */
      readonly after: string;
      readonly more: boolean;
    }
  | { readonly status: "reset"; readonly after: string; readonly more: true };

export interface EventFrame {
  readonly event: LaneEvent;
  readonly bytes: Buffer;
  /** Position after this event. */
  readonly after: string;
}

/** Converts an event to the form that clients get. */
export type Encode = (event: LaneEvent) => Promise<unknown>;

export function sessionLog(options: {
  store: Runtime["store"];
  sessionId: string;
  encode: Encode;
}): EventLog {
  const { store, sessionId, encode } = options;
  const eventAt = async (seq: number): Promise<LaneEvent | null> => {
    const [event] = await store.events(sessionId, { after: seq - 1, limit: 1 });
    return event?.seq === seq ? event : null;
  };
  const end = async (): Promise<string> => {
    const last = await eventAt((await store.lane(sessionId))?.seq ?? 0);
    return last === null ? beginning : placeBehind(last);
  };
  return {
    sessionId,
    begin: async (after) => {
      if (after === null || after === beginning) return { after: beginning, reset: false };
      if (after === now) return { after: await end(), reset: false };
      const place = readPlace(after);
      if (place === null) throw badCursor(after);
      const event = await eventAt(place.seq);
      const isHere = event !== null && (place.at ?? event.at) === event.at;
      return isHere
        ? { after: placeBehind(event), reset: false }
        : { after: await end(), reset: true };
    },
    read: async (after, limit) => {
      const events = await store.events(sessionId, { after: seqOf(after), limit });
      const places = events.map(placeBehind);
      const frames = await framesOf(encode, { events, places });
      const more = events.length === limit;
      return { status: "frames", frames, after: places.at(-1) ?? after, more };
    },
  };
}

export function allLog(options: {
  store: Runtime["store"];
  encode: Encode;
  directories: Directories;
}): EventLog {
  const { store, encode, directories } = options;
  return {
    sessionId: null,
    begin: async (after) => {
      if (after === null) return { after: start, reset: false };
      if (after === now) return { after: await store.feedEnd(), reset: false };
      if (!store.isFeedCursor(after)) throw badCursor(after);
      const page = await store.feed({ after, limit: 1 });
      return page.status === "reset"
        ? { after: page.cursor, reset: true }
        : { after, reset: false };
    },
    read: async (after, limit) => {
      const page = await store.feed({ after: after === start ? null : after, limit });
      if (page.status === "reset") return { status: "reset", after: page.cursor, more: true };
      const { events, cursors, cursor, more } = page;
      await directories.learn(events);
      const frames = await framesOf(encode, { events, places: cursors });
      return { status: "frames", frames, after: cursor, more };
    },
  };
}

/** Position before all events. No cursor equals it. */
const start = "";

function badCursor(after: string): ApiError {
  const shown = JSON.stringify(after.slice(0, 100));
  const advice = "send the id of an event of this stream, or none to start from the beginning";
  return new ApiError("badCursor", `${shown} is not a position in this stream; ${advice}`);
}

async function framesOf(
  encode: Encode,
  page: { events: readonly LaneEvent[]; places: readonly string[] },
): Promise<EventFrame[]> {
  return Promise.all(
    page.events.map(async (event, index) => {
      const after = page.places[index] ?? "";
      const data = await encode(event);
      return { event, after, bytes: frame({ id: after, event: event.type, data }) };
    }),
  );
}
