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
  /** Hooks that are under way or wait get a while to end; none is begun for what comes later. */
  close(): Promise<void>;
}

/** Milliseconds that hooks have when everything ends. */
const endTime = 10_000;

/** So many hooks are at work side by side; beyond so many that wait, one is left out and said to be. */
const sideBySide = 4;
const mostWaiting = 1_000;

/**
 * The same store, with people's own commands run about prompts that this process has accepted or
 * settled: once, after the commit, and nothing waits for them.
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
  const queueHook = (event: Told, directory: string): void => {
    const { sessionId } = event;
    if (closed) return;
    if (waiting.length >= mostWaiting) {
      onError(new Error(`too many hooks wait: none is run for ${event.promptId}`));
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
        // One commit may settle prompts of other sessions too, and bring prompts to them (C7).
        for (const part of [{ directory, events: answer.events }, ...answer.sent]) {
          for (const event of part.events) if (isTold(event)) queueHook(event, part.directory);
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

type Told = Extract<LaneEvent, { type: "prompt.accepted" | "prompt.settled" }>;

function isTold(event: LaneEvent): event is Told {
  return event.type === "prompt.accepted" || event.type === "prompt.settled";
}
