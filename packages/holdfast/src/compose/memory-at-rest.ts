import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { repeat } from "../base/repeat.ts";
import type { Clock } from "../base/time.ts";

/** State of the process, replaceable in tests. */
export interface MemoryView {
  /** Processor time since the last call, as a share of the time that has passed: 1 is one busy core. */
  busyShare(): number;
  /** Bytes of memory that the heap occupies, including unused memory. */
  held(): number;
  /** Collects garbage and returns free memory to the system. */
  giveBack(): void;
}

const checkInterval = 5_000;
/** A garbage collection alone may take this share of the time between two checks. */
const restingShare = 0.03;
/** Minimum growth in bytes that justifies a garbage collection, which takes about 50 ms. */
const worthIt = 4 * 1024 * 1024;
/**
 * Number of garbage collections after the process became idle. V8 drops the bytecode of a function only after several
 * collections between which the function did not run. Each check does only one collection, because all of them at once
 * would block the process too long.
 */
const collections = 8;

/**
 * Returns memory to the system when the process has been idle for 5 s and its heap has grown since the last time. V8
 * keeps the memory of busy times: a server that grew to 200 MB would keep that for days with 35 MB in use.
 */
export function giveMemoryBackAtRest(
  options: { readonly view?: MemoryView; readonly clock?: Clock } = {},
): AsyncDisposable {
  const { view = processMemory(), clock } = options;
  /** Bytes of the heap after the last collection. */
  let kept = 0;
  let left = 0;
  const check = (): void => {
    if (view.busyShare() >= restingShare) return;
    if (view.held() - kept >= worthIt) left = collections;
    if (left === 0) return;
    left -= 1;
    view.giveBack();
    kept = view.held();
  };
  const checking = repeat({
    work: check,
    first: checkInterval,
    every: checkInterval,
    onError: (error) =>
      console.error(`holdfast: could not return memory to the system: ${String(error)}`),
    ...(clock === undefined ? {} : { clock }),
  });
  return { [Symbol.asyncDispose]: () => checking.stop() };
}

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

export function processMemory(): MemoryView {
  let last = { time: performance.now(), used: process.cpuUsage() };
  return {
    // Processor time, because on a busy machine even an idle event loop seems to be busy for a long time.
    busyShare: () => {
      const now = { time: performance.now(), used: process.cpuUsage() };
      const microseconds = now.used.user + now.used.system - last.used.user - last.used.system;
      const share = microseconds / 1000 / (now.time - last.time);
      last = now;
      return share;
    },
    held: () => getHeapStatistics().total_physical_size,
    giveBack: () => {
      // Node has no other way to force a collection, and only a last-resort collection returns memory to the system.
      setFlagsFromString("--expose-gc");
      const collect: Collect = runInNewContext("gc");
      setFlagsFromString("--no-expose-gc");
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
