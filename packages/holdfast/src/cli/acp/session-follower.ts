import { isEvent } from "@holdfast/sdk";
import type { Holdfast, Message, SessionItem } from "@holdfast/sdk";
import { handledPromise } from "./handled-promise.ts";
import { createFamily } from "./family.ts";
import type { FamilyOptions, Position } from "./family.ts";

/** Reads everything in a session once and in order, even if the stream of the session is lost and starts again. */
export interface SessionFollower {
  /**
   * Resolves when everything in the log has been read, or when the signal has aborted. Rejects if the session could not
   * be opened or the stream was lost before; after the next `follow`, call it again.
   */
  caughtUp(): Promise<void>;
  /**
   * Follows the session from the last read event on, so that no event is read twice or left out (T2). Does nothing if
   * the session is followed already.
   */
  follow(): void;
  /** A person who types here has seen what the editor shows, so no other device needs to notify them of it. */
  markSeen(): void;
}

interface FollowerOptions extends FamilyOptions {
  /**
   * Called with each message with which a forked or imported session started; no event contains them. Null: the editor
   * already has them.
   */
  readonly takeOrigin: ((message: Message) => void) | null;
  /** Called when the session could not be opened, or when its stream is lost for good. */
  readonly onLost: (cause: unknown) => Promise<void>;
}

/** Returns a follower that follows the session already. */
export function followSession(holdfast: Holdfast, options: FollowerOptions): SessionFollower {
  const { sessionId, signal, onLost } = options;
  const session = holdfast.session(sessionId);
  let { takeOrigin } = options;
  let seen: Position = null;
  let caughtUp = handledPromise<void>();
  let isFollowing = false;
  let isLost = false;
  const take = (item: SessionItem): void => {
    if (isEvent(item)) seen = item;
    // The stream continues after the end of the restored log.
    if (item.type === "reset") seen = item.seq;
    options.take(item);
    if (item.type === "live") caughtUp.resolve();
  };
  const family = createFamily(holdfast, { ...options, take });
  const readOrigin = async (): Promise<void> => {
    if (takeOrigin === null) return;
    // Read all messages first, so that the next attempt after a failure reports none of them twice.
    const origin: Message[] = [];
    for await (const message of session.eachMessage({ signal })) {
      if (message.seq !== null) break;
      origin.push(message);
    }
    for (const message of origin) takeOrigin(message);
    takeOrigin = null;
  };
  const read = async (): Promise<void> => {
    await readOrigin();
    await family.follow(seen);
  };
  const follow = (): void => {
    if (isFollowing) return;
    if (isLost) caughtUp = handledPromise();
    isLost = false;
    isFollowing = true;
    read().catch((error: unknown) => {
      // Reset these before `onLost`, which may take long: a prompt accepted meanwhile must be able to follow the session
      // again.
      isFollowing = false;
      isLost = true;
      if (signal.aborted) return caughtUp.resolve();
      caughtUp.reject(error);
      void onLost(error);
    });
  };
  follow();
  return {
    caughtUp: () => caughtUp.promise,
    follow,
    markSeen: () => {
      // A failure only leaves a notification on another device.
      const seq = typeof seen === "number" ? seen : seen?.seq;
      if (seq !== undefined) session.markSeen(seq, { patience: 0 }).catch(() => {});
    },
  };
}
