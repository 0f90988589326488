import type { Runtime, LaneEvent, LaneState } from "../main.ts";

/** Follows a session and all sessions that its runs start, from now on. */
export interface FamilyWatch {
  /** Resolves when the condition has a value; it is asked again after every event. */
  until<Value>(condition: () => Promise<Value | null>): Promise<Value>;
  /** Resolves when everything that is in the session's log has been shown. */
  caughtUp(): Promise<void>;
  isMember(sessionId: string): boolean;
  close(): Promise<void>;
}

export interface FamilyListener {
  /** A session joins: the watched one, or a child; what is open in it already is in its state. */
  onJoin(state: LaneState): Promise<void>;
  onEvent(event: LaneEvent): Promise<void>;
}

export async function watchFamily(
  runtime: Runtime,
  options: { sessionId: string; listener: FamilyListener },
): Promise<FamilyWatch> {
  const { sessionId, listener } = options;
  const controller = new AbortController();
  const seen = new Map<string, number>();
  const followers: Promise<void>[] = [];
  const waiters = new Set<() => void>();
  let failure: Error | null = null;
  const ring = (): void => {
    for (const waiter of waiters) waiter();
  };

  const follow = async (member: string, after: number): Promise<void> => {
    const { signal } = controller;
    for await (const event of runtime.events({ sessionId: member, after, signal })) {
      await listener.onEvent(event);
      if (event.type === "child.linked") await join(event.childSessionId, "new");
      seen.set(member, event.seq);
      ring();
    }
  };
  /** A session that others have made is not of this family, whatever was sent to it. */
  const join = async (member: string, age: "new" | "known"): Promise<void> => {
    const state = await runtime.store.lane(member);
    const isOwn = member === sessionId || seen.has(state?.parent?.sessionId ?? "");
    if (state === null || !isOwn || seen.has(member)) return;
    const after = age === "new" ? 0 : state.seq;
    seen.set(member, after);
    if (age === "known") await listener.onJoin(state);
    const follower = follow(member, after).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
      ring();
    });
    followers.push(follower);
    for (const child of childrenOf(state)) await join(child.sessionId, "known");
  };
  const until = async <Value>(condition: () => Promise<Value | null>): Promise<Value> => {
    for (;;) {
      const rung = Promise.withResolvers<void>();
      waiters.add(rung.resolve);
      try {
        if (failure !== null) throw failure;
        const value = await condition();
        if (value !== null) return value;
        await rung.promise;
      } finally {
        waiters.delete(rung.resolve);
      }
    }
  };
  await join(sessionId, "known");
  return {
    until,
    caughtUp: () =>
      until(async () => {
        const state = await runtime.store.lane(sessionId);
        return (seen.get(sessionId) ?? 0) >= (state?.seq ?? 0) ? undefined : null;
      }),
    isMember: (member) => seen.has(member),
    close: async () => {
      controller.abort();
      await Promise.all(followers);
    },
  };
}

function childrenOf(state: LaneState): readonly { sessionId: string }[] {
  const running = state.active?.kind === "run" ? state.active.children : [];
  return [...running, ...state.background];
}
