import type { Activity } from "@holdfast/sdk";
import { createEffect, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { holdfast } from "./client.ts";

const pause = 3_000;
/** Milliseconds until the next request while the server is still reading its log. */
const shortPause = 200;

/** Polls the activity of the last `reach` milliseconds while the component exists. Null until the first answer. */
export function serverActivity(reach: Accessor<number>, slices: number): Accessor<Activity | null> {
  const [activity, setActivity] = createSignal<Activity | null>(null);
  createEffect(() => {
    const wanted = reach();
    const ended = new AbortController();
    const { signal } = ended;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      let next = pause;
      try {
        if (document.visibilityState === "visible") {
          const found = await holdfast.activity({ reach: wanted, slices, signal, patience: 0 });
          if (!signal.aborted) setActivity(found);
          if (!found.isComplete) next = shortPause;
        }
      } catch {
        // Ignore the error: a timer repeats the request. The connection banner shows that the server is unreachable.
      }
      if (!signal.aborted) timer = setTimeout(() => void ask(), next);
    };
    void ask();
    onCleanup(() => {
      clearTimeout(timer);
      ended.abort();
    });
  });
  return activity;
}
