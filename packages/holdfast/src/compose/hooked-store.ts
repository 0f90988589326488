import type { PromptBody, ResultBody } from "../agent/message.ts";
import type { PromptHooks } from "../agent/setup.ts";
import { noHooks } from "../agent/usual-setup.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { readBody } from "../log/bodies.ts";
import type { Store } from "../store/store.ts";

export interface PromptHooksOptions {
  readonly hooks: (directory: string) => Promise<PromptHooks>;
  readonly onError: (error: unknown) => void;
}

export interface HookedStore {
  readonly store: Store;
  /** Gives running and waiting hooks some time to end, and starts no more. */
  close(): Promise<void>;
}

/** Timeout in milliseconds for running hooks at shutdown. */
const endTime = 10_000;

/** Limits on hooks: how many run at the same time, and how many may wait. Further hooks are dropped with an error. */
const sideBySide = 4;
const mostWaiting = 1_000;

/**
 * Wraps a store so that the user's hook commands run for prompts that this process has accepted or
 * settled: once, after the commit. Nothing waits for them.
 */
export function hookedStore(store: Store, options: PromptHooksOptions): HookedStore {
  const { hooks, onError } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const waiting: (() => Promise<void>)[] = [];
  const working = new Set<Promise<void>>();
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
  const queueHook = (event: HookEvent, directory: string): void => {
    const { sessionId } = event;
    if (closed) return;
    if (waiting.length >= mostWaiting) {
      onError(
        new Error(`too many hooks are waiting; the hook for prompt ${event.promptId} is skipped`),
      );
      return;
    }
    waiting.push(async () => {
      const found = await hooks(directory);
      if (found === noHooks) return;
      const prompt = { directory, sessionId, promptId: event.promptId, signal };
      if (event.type === "prompt.accepted") {
        const body = await readBody<PromptBody>(store, event.body);
        await found.promptAccepted({ ...prompt, text: body?.text ?? null });
        return;
      }
      const { status, reason, result } = event.outcome;
      const body = await readBody<ResultBody>(store, result);
      await found.settled({ ...prompt, text: body?.text ?? null, status, reason });
    });
    next();
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
          for (const event of part.events) if (isHookEvent(event)) queueHook(event, part.directory);
        }
        return answer;
      },
    },
    close: async () => {
      closed = true;
      const timer = setTimeout(() => ending.abort(), endTime);
      while (working.size > 0) await Promise.race(working);
      clearTimeout(timer);
    },
  };
}

type HookEvent = Extract<LaneEvent, { type: "prompt.accepted" | "prompt.settled" }>;

function isHookEvent(event: LaneEvent): event is HookEvent {
  return event.type === "prompt.accepted" || event.type === "prompt.settled";
}
