import { isEvent } from "@holdfast/sdk";
import type { Holdfast, Message, SessionItem } from "@holdfast/sdk";
import { handledPromise } from "../../base/handled-promise.ts";
import { followFamily } from "./family.ts";
import type { FamilyOptions } from "./family.ts";

/** Reads everything in a session once and in order, even if the stream of the session is lost and starts again. */
export interface SessionFollower {
  /** Resolves when everything in the log has been read. Rejects if the stream was lost before. */
  readonly ready: Promise<void>;
  /** Resolves when the session was opened. If that failed, follows the session again. */
  started(): Promise<void>;
  /** Resolves when the stream has caught up with the log. Rejects if the stream was lost before. */
  caughtUp(): Promise<void>;
  /** Follows the session from the last read event on, so that no event is read twice or left out (T2). */
  follow(): void;
  /** A person who types here has seen what the editor shows, so no other device needs to notify them of it. */
  markSeen(): void;
}

interface FollowerOptions extends Omit<FamilyOptions, "after"> {
  /**
   * Called with each message with which a forked or imported session started; no event contains them. Null: the editor
   * already has them.
   */
  readonly takeOrigin: ((message: Message) => void) | null;
  /** Called when the stream is lost for good. */
  readonly onLost: (cause: unknown) => Promise<void>;
}

export function followSession(holdfast: Holdfast, options: FollowerOptions): SessionFollower {
  const { sessionId, signal, takeOrigin, onLost } = options;
  const session = holdfast.session(sessionId);
  let seen: FamilyOptions["after"] = null;
  let caughtUp = handledPromise<void>();
  let isFollowing = false;
  let isLost = false;
  const lose = async (cause: unknown): Promise<void> => {
    isLost = true;
    caughtUp.reject(cause);
    await onLost(cause);
  };
  const take = (item: SessionItem): void => {
    if (isEvent(item)) seen = item;
    options.take(item);
    if (item.type === "live") caughtUp.resolve();
    if (item.type === "reset") {
      const message = "the sessions were restored from a backup; open the session again";
      void lose(new Error(message));
    }
  };
  const follow = (): void => {
    if (isFollowing) return;
    if (isLost) caughtUp = handledPromise();
    isLost = false;
    isFollowing = true;
    followFamily(holdfast, { ...options, after: seen, take }).catch((error: unknown) => {
      // From now on, an accepted prompt follows the session again. It must not wait until `onLost` has ended.
      isFollowing = false;
      if (!signal.aborted) void lose(error);
    });
  };
  const begin = async (): Promise<void> => {
    if (takeOrigin !== null) {
      for await (const message of session.eachMessage({ signal })) {
        if (message.seq !== null) break;
        takeOrigin(message);
      }
    }
    follow();
    await caughtUp.promise;
  };
  const ready = begin();
  // Handle a failure to open the session here, because possibly no caller awaits `ready`. The next prompt reports the
  // failure.
  ready.catch(lose);
  return {
    ready,
    started: () => ready.catch(follow),
    caughtUp: () => caughtUp.promise,
    follow,
    markSeen: () => {
      // A failure only leaves a notification on another device.
      if (seen !== null) session.markSeen(seen.seq, { patience: 0 }).catch(() => {});
    },
  };
}
