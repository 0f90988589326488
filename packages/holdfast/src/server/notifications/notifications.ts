import { repeat } from "../../base/repeat.ts";
import type { NotificationSettings, QuietHoursOnWire } from "../../contract/notification.ts";
import { isOver, noticeOf, quietReason } from "../../kernel/notice.ts";
import type { Attention, QuietHours } from "../../kernel/notice.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { ApiError } from "../errors.ts";
import type { Notifications, Principal } from "../ports.ts";
import type { PushOptions, RunningPush } from "../push/push.ts";
import { maxMuted, withSeen } from "./attention.ts";
import type { Attentions } from "./attention.ts";
import { sessionsAbove } from "./sessions-above.ts";

/** Notification settings of people, the events that they have seen, and push messages to their devices. */
export interface RunningNotifications extends Notifications {
  /** True if a push message is being sent or will be retried. Messages that wait for the end of quiet hours do not count. */
  isDelivering(): boolean;
  /** Removes push subscriptions of tokens that are no longer valid. Call this after a token was revoked. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface NotificationsOptions {
  readonly store: Runtime["store"];
  readonly attentions: Attentions;
  readonly push: Omit<PushOptions, "store" | "attentions">;
}

/** Milliseconds between checks whether the store contains a push subscription, until one is found. */
const lookEvery = 30_000;

export function createNotifications(options: NotificationsOptions): RunningNotifications {
  const { store, attentions } = options;
  let opening: Promise<RunningPush> | null = null;
  let running: RunningPush | null = null;
  // Loads the code for push messages with the first subscription, because most servers have none.
  const push = (): Promise<RunningPush> => {
    opening ??= (async () => {
      const { createPush } = await import("../push/push.ts");
      running = createPush({ ...options.push, store, attentions });
      return running;
    })();
    return opening;
  };
  let isClosed = false;
  const look = async (): Promise<void> => {
    if (opening !== null) return;
    const [first] = await store.records("pushSubscription", { after: null, limit: 1 });
    if (first !== undefined && !isClosed) await push();
  };
  const { onError } = options.push;
  const looking = repeat({ work: look, first: 0, every: lookEvery, onError });
  const wake = async (): Promise<void> => {
    if (opening !== null) (await opening).wake();
  };
  const personOf = async ({ tokenId }: Principal): Promise<string> => {
    const person = await attentions.person(tokenId);
    if (person !== null) return person;
    throw new ApiError("unauthorized", "This token is revoked or expired. Use another token.");
  };
  return {
    settings: async (principal) => settingsOf(await attentions.get(await personOf(principal))),
    change: async (principal, { quietHours, mute = [], unmute = [] }) => {
      const person = await personOf(principal);
      const changed = await attentions.update(person, (before) => {
        const kept = before.muted.filter((id) => !unmute.includes(id));
        const muted = [...new Set([...kept, ...mute])].slice(-maxMuted);
        const hours = quietHours === undefined ? before.quietHours : hoursOf(quietHours);
        return { ...before, muted, quietHours: hours };
      });
      await wake();
      return settingsOf(changed);
    },
    notice: async (principal, { sessionId, seq }) => {
      const [event] = await store.events(sessionId, { after: seq - 1, limit: 1 });
      const state = await store.lane(sessionId);
      if (event?.seq !== seq || state === null) return null;
      const found = noticeOf(event, state);
      if (found === null) return { kind: null, quiet: null };
      if (isOver(event, state)) return { kind: found.kind, quiet: "over" };
      const attention = await attentions.get(await personOf(principal));
      const notice = { ...found, above: await sessionsAbove(store, state) };
      return { kind: found.kind, quiet: quietReason(notice, attention, await store.now()) };
    },
    markSeen: async (principal, mark) => {
      const state = await store.lane(mark.sessionId);
      // Limit `seq` to the end of the log: with a higher one, the person would get no notifications about later events.
      const seq = Math.min(mark.seq, state?.seq ?? 0);
      const person = await personOf(principal);
      const { sessionId } = mark;
      if (opening !== null) await (await opening).seenOn(principal.tokenId, { sessionId, seq });
      await attentions.update(person, (before) => withSeen(before, { sessionId, seq }));
      await wake();
    },
    push,
    isDelivering: () => running?.isDelivering() ?? false,
    sweep: async () => {
      if (opening !== null) await (await opening).sweep();
    },
    close: async () => {
      isClosed = true;
      await looking.stop();
      await (await opening)?.close();
    },
  };
}

function settingsOf({ muted, quietHours }: Attention): NotificationSettings {
  return {
    muted: [...muted],
    quietHours:
      quietHours === null
        ? null
        : {
            from: timeOf(quietHours.from),
            to: timeOf(quietHours.to),
            timeZone: quietHours.timeZone,
          },
  };
}

function hoursOf(hours: QuietHoursOnWire | null): QuietHours | null {
  if (hours === null) return null;
  return { from: minuteOf(hours.from), to: minuteOf(hours.to), timeZone: hours.timeZone };
}

function minuteOf(time: string): number {
  const [hours = "0", minutes = "0"] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
}

function timeOf(minute: number): string {
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
