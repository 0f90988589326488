import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { repeat } from "../base/repeat.ts";
import type { Clock } from "../base/time.ts";

/** The state of the process that matters here, so that tests can set it. */
export interface MemoryView {
  /** The share of the time since the last call in which the event loop was busy: 0 to 1. */
  busyShare(): number;
  /** Bytes that the heap holds without using them. */
  unused(): number;
  /** Collects garbage and returns free memory to the system. */
  giveBack(): void;
}

const lookEvery = 5_000;
const restingShare = 0.02;
const worthIt = 32 * 1024 * 1024;

/**
 * Gives memory back to the system when the process has been at rest for 5 s. V8 keeps the memory of a busy
 * time: a server that was 200 MB large after many prompts would stay so for days, with 35 MB in use.
 */
export function giveMemoryBackAtRest(
  options: { readonly view?: MemoryView; readonly clock?: Clock } = {},
): AsyncDisposable {
  const { view = processMemory(), clock } = options;
  const look = (): void => {
    if (view.busyShare() < restingShare && view.unused() > worthIt) view.giveBack();
  };
  const looking = repeat({
    work: look,
    first: lookEvery,
    every: lookEvery,
    onError: (error) => console.error(`holdfast: memory could not be given back: ${String(error)}`),
    ...(clock === undefined ? {} : { clock }),
  });
  return { [Symbol.asyncDispose]: () => looking.stop() };
}

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

export function processMemory(): MemoryView {
  let last = performance.eventLoopUtilization();
  return {
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    unused: () => {
      const { total_physical_size: held, used_heap_size: used } = getHeapStatistics();
      return held - used;
    },
    giveBack: () => {
      // Node offers no other way to a collection; only one of this kind returns memory to the system.
      setFlagsFromString("--expose-gc");
      const collect: Collect = runInNewContext("gc");
      setFlagsFromString("--no-expose-gc");
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
