import type { PromptBody, ResultBody } from "../agent/message.ts";
import type { PromptHooks } from "../agent/setup.ts";
import { noHooks } from "../agent/usual-setup.ts";
import { withTimeout } from "../base/time.ts";
import { isOf } from "../kernel/event-table.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { isOver, noticeEvents, noticeOf } from "../kernel/notice.ts";
import { readBody } from "../log/bodies.ts";
import type { Store } from "../store/store.ts";

export interface PromptHooksOptions {
  readonly hooks: (directory: string) => Promise<PromptHooks>;
  readonly onError: (error: unknown) => void;
}

export interface HookedStore {
  readonly store: Store;
  /** Starts no more hooks, and waits a limited time for running and waiting hooks. */
  close(): Promise<void>;
}

/** Timeout in milliseconds for running hooks at shutdown. */
const endTime = 10_000;

/** Limits on hooks: how many run concurrently, and how many may wait. Further hooks are dropped with an error. */
const sideBySide = 4;
const mostWaiting = 1_000;
/** Limit on the events of a directory that wait until its hooks are known. */
const mostUnread = 10_000;

/**
 * Wraps a store so that the user's hook commands run after commits of this process: when a prompt was accepted, when a
 * prompt has ended, and when people get a notification. A hook runs once for each event, and no other work waits for
 * it.
 */
export function hookedStore(store: Store, options: PromptHooksOptions): HookedStore {
  const { hooks, onError } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const waiting: (() => Promise<void>)[] = [];
  const working = new Set<Promise<void>>();
  /** Events of directories whose hooks are being read. One read serves all events that arrive until it ends. */
  const unread = new Map<string, LaneEvent[]>();
  const reading = new Set<Promise<void>>();
  let closed = false;

  const next = (): void => {
    const work = working.size < sideBySide && !signal.aborted ? waiting.shift() : undefined;
    if (work === undefined) return;
    const done = work()
      .catch(onError)
      .finally(() => {
        working.delete(done);
        next();
      });
    working.add(done);
  };
  const queueEvent = (event: LaneEvent, directory: string): void => {
    if (closed) return;
    const events = unread.get(directory);
    if (events === undefined) {
      unread.set(directory, [event]);
      const done = readHooks(directory)
        .catch(onError)
        .finally(() => reading.delete(done));
      reading.add(done);
    } else if (events.length < mostUnread) {
      events.push(event);
    }
  };
  const readHooks = async (directory: string): Promise<void> => {
    try {
      const found = await hooks(directory);
      if (found === noHooks) return;
      for (const event of unread.get(directory) ?? []) queueHooks(found, event, directory);
    } finally {
      unread.delete(directory);
    }
  };
  const queueHooks = (found: PromptHooks, event: LaneEvent, directory: string): void => {
    if (waiting.length >= mostWaiting) {
      const { type, sessionId, seq } = event;
      const name = `${type} (session ${sessionId}, event ${seq})`;
      onError(new Error(`too many hooks are waiting; the hooks for ${name} are skipped`));
      return;
    }
    waiting.push(async () => {
      await promptHook(found, event, directory);
      if (isOf(event, noticeEvents)) await noticeHook(found, event, directory);
    });
    next();
  };
  const promptHook = async (
    found: PromptHooks,
    event: LaneEvent,
    directory: string,
  ): Promise<void> => {
    if (event.type !== "prompt.accepted" && event.type !== "prompt.settled") return;
    const { sessionId, promptId } = event;
    const prompt = { directory, sessionId, promptId, signal };
    if (event.type === "prompt.accepted") {
      const body = await readBody<PromptBody>(store, event.body);
      await found.promptAccepted({ ...prompt, text: body?.text ?? null });
      return;
    }
    const { status, reason, result } = event.outcome;
    const body = await readBody<ResultBody>(store, result);
    await found.settled({ ...prompt, text: body?.text ?? null, status, reason });
  };
  const noticeHook = async (
    found: PromptHooks,
    event: LaneEvent,
    directory: string,
  ): Promise<void> => {
    const { sessionId, seq } = event;
    const state = await store.lane(sessionId);
    const notice = state === null || isOver(event, state) ? null : noticeOf(event, state);
    if (state === null || notice === null) return;
    const { noticeWords } = await import("@holdfast/model/notice-words.ts");
    const { kind } = notice;
    const { title } = state;
    await found.notice({
      directory,
      sessionId,
      seq,
      kind,
      text: noticeWords.en[kind],
      title,
      signal,
    });
  };
  const allEnded = async (): Promise<void> => {
    while (working.size + reading.size > 0) await Promise.race([...working, ...reading]);
  };
  return {
    store: {
      ...store,
      execute: async (request) => {
        const answer = await store.execute(request);
        if (answer.status !== "done") return answer;
        const { directory } = answer.state;
        // One commit can also settle prompts of other sessions and send prompts to them (C7).
        for (const part of [{ directory, events: answer.events }, ...answer.sent]) {
          for (const event of part.events)
            if (isHookEvent(event)) queueEvent(event, part.directory);
        }
        return answer;
      },
    },
    close: async () => {
      closed = true;
      const ended = allEnded();
      await withTimeout(ended, { milliseconds: endTime, late: () => ending.abort() });
      await ended;
    },
  };
}

function isHookEvent(event: LaneEvent): boolean {
  return event.type === "prompt.accepted" || isOf(event, noticeEvents);
}
