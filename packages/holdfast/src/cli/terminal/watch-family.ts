import { isEvent, Refused } from "@holdfast/sdk";
import type { DeltaItem, Holdfast, SessionDetail, SnapshotItem, WireEvent } from "@holdfast/sdk";
import { isPassing } from "./view.ts";

/** Follows a session and all sessions that its runs start, from now on. */
export interface FamilyWatch {
  /** Resolves when the condition returns a value. It is checked again after relevant events. */
  until<Value>(condition: () => Promise<Value | null>): Promise<Value>;
  /** Resolves when everything that is in the session's log now has been shown. */
  caughtUp(): Promise<void>;
  isMember(sessionId: string): boolean;
  close(): Promise<void>;
}

export interface FamilyListener {
  /**
   * Called with the watched session and with child sessions that already existed, including their open asks and runs.
   */
  onJoin(session: SessionDetail): Promise<void>;
  onEvent(event: WireEvent): Promise<void>;
  /** Called with a delta or snapshot of the watched session. The event with the complete text follows later. */
  onPassing(item: DeltaItem | SnapshotItem): void;
}

export async function watchFamily(
  holdfast: Holdfast,
  options: { sessionId: string; listener: FamilyListener },
): Promise<FamilyWatch> {
  const { sessionId, listener } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const seen = new Map<string, number>();
  const followers: Promise<void>[] = [];
  const waiters = new Set<(event: WireEvent | null) => void>();
  let failure: Error | null = null;
  const ring = (event: WireEvent | null): void => {
    for (const waiter of waiters) waiter(event);
  };

  const follow = async (member: string, after: number): Promise<void> => {
    const session = holdfast.session(member);
    const deltas = member === sessionId;
    for await (const item of session.events({ after, signal, deltas })) {
      if (item.type === "live") ring(null);
      else if (isPassing(item)) listener.onPassing(item);
      else if (isEvent(item)) {
        const event = item.truncated ? await session.event(item.seq, { signal }) : item;
        await listener.onEvent(event);
        if (event.type === "child.linked") await join(event.childSessionId, "new");
        seen.set(member, event.seq);
        ring(event);
      }
    }
  };
  /**
   * Starts to follow a session: the watched session, or a session that was created by a run of a followed session.
   * Ignores other sessions, even if such a run sent prompts to them.
   */
  const join = async (member: string, age: "new" | "known"): Promise<void> => {
    const session = await detailOf(holdfast, member);
    const isOwn = member === sessionId || seen.has(session?.parent?.sessionId ?? "");
    if (session === null || !isOwn || seen.has(member)) return;
    const after = age === "new" ? 0 : session.seq;
    seen.set(member, after);
    if (age === "known") await listener.onJoin(session);
    const follower = follow(member, after).catch((error: unknown) => {
      if (signal.aborted) return;
      failure = error instanceof Error ? error : new Error(String(error));
      ring(null);
    });
    followers.push(follower);
    for (const child of childrenOf(session)) await join(child.sessionId, "known");
  };
  const wait = async <Value>(
    condition: () => Promise<Value | null>,
    matters: (event: WireEvent) => boolean,
  ): Promise<Value> => {
    for (;;) {
      const rung = Promise.withResolvers<void>();
      const waiter = (event: WireEvent | null): void => {
        if (event === null || matters(event)) rung.resolve();
      };
      waiters.add(waiter);
      try {
        if (failure !== null) throw failure;
        const value = await condition();
        if (value !== null) return value;
        await rung.promise;
      } finally {
        waiters.delete(waiter);
      }
    }
  };
  await join(sessionId, "known");
  return {
    until: (condition) => wait(condition, ({ type }) => !steps.has(type)),
    caughtUp: async () => {
      const { seq } = await holdfast.session(sessionId).get();
      const isThere = async (): Promise<true | null> =>
        (seen.get(sessionId) ?? 0) >= seq ? true : null;
      await wait(isThere, (event) => event.sessionId === sessionId);
    },
    isMember: (member) => seen.has(member),
    close: async () => {
      controller.abort();
      await Promise.all(followers);
    },
  };
}

/**
 * Types of frequent events inside a run. They never end a prompt, so `until` does not check its condition after them.
 */
const steps: ReadonlySet<WireEvent["type"]> = new Set([
  "step.opened",
  "step.answered",
  "tool.started",
  "tool.ended",
]);

async function detailOf(holdfast: Holdfast, sessionId: string): Promise<SessionDetail | null> {
  try {
    return await holdfast.session(sessionId).get();
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

function childrenOf({ active, background }: SessionDetail): readonly { sessionId: string }[] {
  return [...(active?.kind === "run" ? active.children : []), ...background];
}
