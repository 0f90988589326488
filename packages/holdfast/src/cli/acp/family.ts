import { isEvent } from "@holdfast/sdk";
import type { Holdfast, SessionItem, WireEvent } from "@holdfast/sdk";
import type { EditorAsks } from "./editor-asks.ts";
import type { EventOf } from "./tool-calls.ts";

/**
 * The last event that was reported to the editor, or the last sequence number of a restored log; null if there is
 * neither.
 */
export type Position = Pick<WireEvent, "seq" | "at"> | number | null;

export interface FamilyOptions {
  readonly sessionId: string;
  readonly signal: AbortSignal;
  readonly asks: EditorAsks;
  /** Called with each item of the session itself. Events that the stream has cut are loaded in full first. */
  readonly take: (item: SessionItem) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * A session and its child sessions. Follows the asks of a child session while a prompt of the child is unsettled. Asks
 * that were closed before the stream caught up are not shown.
 */
export interface Family {
  /** Follows the session until the signal aborts. After a failure, call it again with the last position. */
  follow(after: Position): Promise<void>;
}

export function createFamily(holdfast: Holdfast, options: FamilyOptions): Family {
  const { sessionId, signal, take } = options;
  const session = holdfast.session(sessionId);
  const kin = createKin(holdfast, options);
  return {
    follow: async (after) => {
      try {
        for await (const item of session.events({ after: after ?? undefined, signal })) {
          if (isEvent(item)) {
            const event = item.truncated ? await session.event(item.seq, { signal }) : item;
            take(event);
            kin.take(event);
          } else {
            if (item.type === "live") kin.live();
            take(item);
          }
        }
      } finally {
        kin.pause();
      }
    },
  };
}

interface Kin {
  take(event: WireEvent): void;
  live(): void;
  /** Stops following the children until the stream of the session is live again. */
  pause(): void;
}

type Link = Pick<EventOf<"child.linked">, "childSessionId" | "childPromptId">;

/** Tracks the asks and children of one session. */
function createKin(holdfast: Holdfast, options: FamilyOptions): Kin {
  const { asks, sessionId, signal, onError } = options;
  const waiting = new Map<string, EventOf<"ask.opened">>();
  const children = new Map<string, Set<string>>();
  const followed = new Map<string, AbortController>();
  let isLive = false;
  const follow = (child: string): void => {
    if (followed.has(child)) return;
    const controller = new AbortController();
    followed.set(child, controller);
    const inside = AbortSignal.any([signal, controller.signal]);
    followChild(holdfast, { ...options, sessionId: child, signal: inside }, sessionId).catch(
      (error: unknown) => {
        if (!inside.aborted) onError(error);
      },
    );
  };
  const linked = ({ childSessionId, childPromptId }: Link): void => {
    const prompts = children.get(childSessionId) ?? new Set();
    children.set(childSessionId, prompts.add(childPromptId));
    if (isLive) follow(childSessionId);
  };
  const settled = ({ childSessionId, childPromptId }: Link): void => {
    const prompts = children.get(childSessionId);
    prompts?.delete(childPromptId);
    if (prompts === undefined || prompts.size > 0) return;
    children.delete(childSessionId);
    followed.get(childSessionId)?.abort();
    followed.delete(childSessionId);
  };
  return {
    take: (event) => {
      if (event.type === "child.linked") linked(event);
      if (event.type === "child.settled") settled(event);
      if (event.type === "ask.opened") {
        if (isLive) asks.opened(event);
        else waiting.set(event.askId, event);
      }
      if (event.type === "ask.closed") {
        waiting.delete(event.askId);
        asks.closed(event);
      }
    },
    live: () => {
      isLive = true;
      for (const ask of waiting.values()) asks.opened(ask);
      for (const child of children.keys()) follow(child);
      waiting.clear();
    },
    pause: () => {
      isLive = false;
      for (const controller of followed.values()) controller.abort();
      followed.clear();
    },
  };
}

/** Follows only sessions that the parent has created, not others that it sent prompts to. */
async function followChild(
  holdfast: Holdfast,
  options: FamilyOptions,
  parentId: string,
): Promise<void> {
  const { sessionId, signal } = options;
  const session = holdfast.session(sessionId);
  const { parent } = await session.get({ signal });
  if (parent?.sessionId !== parentId) return;
  const kin = createKin(holdfast, options);
  try {
    for await (const item of session.events({ signal, deltas: false })) {
      if (item.type === "live") kin.live();
      else if (isEvent(item)) {
        kin.take(item.truncated ? await session.event(item.seq, { signal }) : item);
      }
    }
  } finally {
    kin.pause();
  }
}
