import { isEvent } from "@holdfast/sdk";
import type { Ask, Holdfast, SessionDetail, SessionItem, WireEvent } from "@holdfast/sdk";
import type { EditorAsks, OpenAsk } from "./editor-asks.ts";
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
  /** Called before `take` gets the `reset` of a restored backup, with the session as it is now. */
  readonly onRestored: (detail: SessionDetail) => void;
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
  const { sessionId, signal, take, onRestored } = options;
  const session = holdfast.session(sessionId);
  const kin = createKin(holdfast, { ...options, parents: new Map() });
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
            // `take` comes last: if the state cannot be read, the next `follow` gets the `reset` again.
            if (item.type === "reset") onRestored(await kin.restore());
            take(item);
          }
        }
      } finally {
        kin.pause();
      }
    },
  };
}

interface KinOptions extends FamilyOptions {
  /** Parent of each followed child session, even while the streams are lost. Shared by the whole family. */
  readonly parents: Map<string, string>;
}

interface Kin {
  take(event: WireEvent): void;
  live(): void;
  /** Stops following the children until the stream of the session is live again. Their asks stay in the editor. */
  pause(): void;
  /**
   * Reads the open asks and the children again after a restored backup, because the stream skips the events from before.
   * Returns the session.
   */
  restore(): Promise<SessionDetail>;
}

type Link = Pick<EventOf<"child.linked">, "childSessionId" | "childPromptId">;

/** Tracks the asks and children of one session. */
function createKin(holdfast: Holdfast, options: KinOptions): Kin {
  const { asks, parents, sessionId, signal, onError } = options;
  const session = holdfast.session(sessionId);
  const waiting = new Map<string, OpenAsk>();
  const children = new Map<string, Set<string>>();
  const followed = new Map<string, AbortController>();
  let isLive = false;
  /** True while `waiting` contains all open asks of the session, not only those since the stream was live. */
  let isComplete = true;
  const follow = (child: string): void => {
    if (followed.has(child)) return;
    const controller = new AbortController();
    followed.set(child, controller);
    const inside = AbortSignal.any([signal, controller.signal]);
    followChild(holdfast, { ...options, sessionId: child, signal: inside }, sessionId).catch(
      (error: unknown) => {
        if (inside.aborted) return;
        // The stream is lost for good. Follow the child again when the stream of this session is live the next time.
        followed.delete(child);
        onError(error);
      },
    );
  };
  const drop = (child: string): void => {
    parents.delete(child);
    asks.keepOnly(child, []);
    for (const [grandchild, parent] of parents) if (parent === child) drop(grandchild);
  };
  /** Removes the asks of former children and of their descendants: their own streams may be lost or aborted. */
  const dropFormer = (): void => {
    for (const [child, parent] of parents) {
      if (parent === sessionId && !children.has(child)) drop(child);
    }
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
    // Before `live`, a later event can link the same child again.
    if (isLive) dropFormer();
  };
  const pause = (): void => {
    isLive = false;
    for (const controller of followed.values()) controller.abort();
    followed.clear();
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
      if (isComplete) asks.keepOnly(sessionId, [...waiting.values()]);
      isComplete = false;
      dropFormer();
      for (const ask of waiting.values()) asks.opened(ask);
      for (const child of children.keys()) follow(child);
      waiting.clear();
    },
    pause,
    restore: async () => {
      const detail = await session.get({ signal });
      const open = (await Array.fromAsync(session.eachAsk({ open: true, signal }))).map(openAskOf);
      pause();
      waiting.clear();
      children.clear();
      isComplete = true;
      for (const ask of open) waiting.set(ask.askId, ask);
      for (const link of linksOf(detail)) linked(link);
      return detail;
    },
  };
}

function openAskOf({ sessionId, askId, callId, question, extra }: Ask): OpenAsk {
  return { sessionId, askId, callId, content: { question, extra } };
}

function linksOf({ active, background }: SessionDetail): readonly Link[] {
  const children = active?.kind === "run" ? active.children : [];
  return [...children.filter(({ outcome }) => outcome === null), ...background].map(
    ({ sessionId, promptId }) => ({ childSessionId: sessionId, childPromptId: promptId }),
  );
}

/** Follows only sessions that the parent has created, not others that it sent prompts to. */
async function followChild(
  holdfast: Holdfast,
  options: KinOptions,
  parentId: string,
): Promise<void> {
  const { sessionId, signal } = options;
  const session = holdfast.session(sessionId);
  const { parent } = await session.get({ signal });
  if (parent?.sessionId !== parentId) return;
  options.parents.set(sessionId, parentId);
  const kin = createKin(holdfast, options);
  try {
    for await (const item of session.events({ signal, deltas: false })) {
      if (item.type === "live") kin.live();
      else if (item.type === "reset") await kin.restore();
      else if (isEvent(item)) {
        kin.take(item.truncated ? await session.event(item.seq, { signal }) : item);
      }
    }
  } finally {
    kin.pause();
  }
}
