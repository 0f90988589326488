import type { LaneEvent } from "./event.ts";
import type { LaneState } from "./state.ts";

/** The kinds of notifications that people get. */
export type NoticeKind = "needsYou" | "finished" | "failed";

/** A notification about one event. Its session and `seq` identify it on every channel. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly sessionId: string;
  readonly seq: number;
  readonly at: number;
}

/** Types of events that can cause a notice or make one obsolete. Code that reads the feed ignores all other types. */
export const noticeEvents = [
  "ask.opened",
  "ask.closed",
  "run.ended",
  "prompt.settled",
  "hold.placed",
  "hold.released",
] as const satisfies readonly LaneEvent["type"][];

/**
 * Returns the notice that an event causes. This is the only place that decides what people are notified about, on the
 * page, in the terminal, by push and in webhooks:
 * - a permission request, a question, or a run that waits for a person after a crash: `needsYou`, in every session;
 * - the end of a run: `finished` or `failed`, but not in sessions that another run has created;
 * - a prompt that failed without a run, such as an expired one: `failed`.
 * Cancelled work causes no notice, because a person has cancelled it.
 */
export function noticeOf(event: LaneEvent, session: Pick<LaneState, "parent">): Notice | null {
  const kind = kindOf(event, session.parent !== null);
  const { sessionId, seq, at } = event;
  return kind === null ? null : { kind, sessionId, seq, at };
}

function kindOf(event: LaneEvent, isChild: boolean): NoticeKind | null {
  if (event.type === "ask.opened") return "needsYou";
  if (event.type === "hold.placed") return event.hold.kind === "recovery" ? "needsYou" : null;
  if (isChild) return null;
  if (event.type === "run.ended") return endKind[event.outcome.status];
  if (event.type !== "prompt.settled" || event.outcome.runId !== null) return null;
  return event.outcome.status === "failed" ? "failed" : null;
}

const endKind = { completed: "finished", failed: "failed", cancelled: null } as const;

/** True if the notice is obsolete: its request was closed, its hold was released, or its session was deleted. */
export function isOver(opening: LaneEvent, state: LaneState): boolean {
  if (state.status === "deleted") return true;
  if (opening.type === "ask.opened") {
    const { active } = state;
    const asks = active?.kind === "run" ? active.asks : [];
    return !asks.some(({ askId }) => askId === opening.askId);
  }
  if (opening.type !== "hold.placed") return false;
  return !state.holds.some(({ holdId }) => holdId === opening.hold.holdId);
}

/** True if the session waits for a person. */
export function needsPerson({ active, holds }: Pick<LaneState, "active" | "holds">): boolean {
  const hasAsk = active?.kind === "run" && active.asks.length > 0;
  return hasAsk || holds.some(({ kind }) => kind === "recovery");
}

/** A person's notification settings and read positions. A person is a token, with all browser sessions created from it. */
export interface Attention {
  /** Last `seq` that the person has seen, by session. */
  readonly seen: Readonly<Record<string, number>>;
  /** Ids of muted sessions. */
  readonly muted: readonly string[];
  readonly quietHours: QuietHours | null;
}

/** Hours without notifications. A range such as 22:00 to 7:00 spans midnight. */
export interface QuietHours {
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
  /** IANA name, such as `Europe/Berlin`. The time comes from the server's clock, not from the person's device. */
  readonly timeZone: string;
}

/** Reasons why a person is not notified. */
export type QuietReason = "seen" | "muted" | "quietHours";

/**
 * Returns the reason why a person is not notified at this time; null: notify. `above` has the ids of the sessions above
 * the notice's session: a muted session also mutes its child sessions.
 */
export function quietReason(
  notice: Pick<Notice, "sessionId" | "seq"> & { readonly above: readonly string[] },
  attention: Attention,
  now: number,
): QuietReason | null {
  const { seen, muted, quietHours } = attention;
  if ((seen[notice.sessionId] ?? 0) >= notice.seq) return "seen";
  if ([notice.sessionId, ...notice.above].some((id) => muted.includes(id))) return "muted";
  return quietHours !== null && quietUntil(quietHours, now) !== null ? "quietHours" : null;
}

const minute = 60_000;
const day = 24 * 60;

/** Returns the time at which the quiet hours end; null outside of the quiet hours. */
export function quietUntil({ from, to, timeZone }: QuietHours, now: number): number | null {
  const length = (to - from + day) % day;
  const passed = (minuteOfDay(now, timeZone) - from + day) % day;
  return passed < length ? now - (now % minute) + (length - passed) * minute : null;
}

function minuteOfDay(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const [hours = "0", minutes = "0"] = format.format(at).split(":");
  return Number(hours) * 60 + Number(minutes);
}
