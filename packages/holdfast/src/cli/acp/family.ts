import { isEvent } from "@holdfast/sdk";
import type { Holdfast, SessionItem, WireEvent } from "@holdfast/sdk";
import type { AskDesk } from "./editor-asks.ts";
import type { EventOf } from "./tool-calls.ts";

export interface FamilyOptions {
  readonly sessionId: string;
  /** The last event that was told; null: none. */
  readonly after: Pick<WireEvent, "seq" | "at"> | null;
  readonly signal: AbortSignal;
  readonly desk: AskDesk;
  /** What comes out of the session itself, each event whole. */
  readonly take: (item: SessionItem) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Follows a session until the signal fires, and what its children ask for as long as one of their prompts is
 * unsettled. What was asked and answered before it caught up is put to nobody.
 */
export async function followFamily(holdfast: Holdfast, options: FamilyOptions): Promise<void> {
  const { sessionId, after, signal, take } = options;
  const session = holdfast.session(sessionId);
  const kin = createKin(holdfast, options);
  try {
    const from = after ?? undefined;
    for await (const item of session.events({ after: from, signal })) {
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
    kin.close();
  }
}

interface Kin {
  take(event: WireEvent): void;
  live(): void;
  close(): void;
}

type Link = Pick<EventOf<"child.linked">, "childSessionId" | "childPromptId">;

/** One session's asks and children. */
function createKin(holdfast: Holdfast, options: FamilyOptions): Kin {
  const { desk, sessionId, signal, onError } = options;
  const asks = new Map<string, EventOf<"ask.opened">>();
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
        if (isLive) desk.opened(event);
        else asks.set(event.askId, event);
      }
      if (event.type === "ask.closed") {
        asks.delete(event.askId);
        desk.closed(event);
      }
    },
    live: () => {
      isLive = true;
      for (const ask of asks.values()) desk.opened(ask);
      for (const child of children.keys()) follow(child);
      asks.clear();
    },
    close: () => {
      for (const controller of followed.values()) controller.abort();
    },
  };
}

/** A session that others have made is no child, whatever was sent to it. */
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
    kin.close();
  }
}
