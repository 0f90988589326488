import { repeat } from "../base/repeat.ts";
import type { Repeated } from "../base/repeat.ts";
import { systemClock } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Store } from "../store/store.ts";

/** Time limits in milliseconds for one round of indexing, and for the last round before the server stops. */
const atATime = 10_000;
const beforeStop = 1_000;
/** Time limit in milliseconds for reading the event log for the activity summary. The log is read every few seconds. */
const readingActivity = 500;
/**
 * Time limit in milliseconds for indexing, and for reading the log, while the server is busy. Used instead of `atATime`
 * and `readingActivity` if sessions have changed more than `manyChanges` times since indexing last started.
 */
const whileBusy = 25;
const manyChanges = 500;

/**
 * Every few seconds, indexes new texts for the search and reads new events for the activity summary, so that later
 * requests have little left to do. The first rounds index the texts of a database that an older release wrote. While
 * many sessions change, rounds are short, so that commits are not slowed down; a search indexes the rest. If nothing
 * has changed since a complete round, the next round does nothing: an idle server should need no processor time.
 */
export function startIndexing(options: {
  runtime: Pick<Runtime, "indexTexts" | "readActivity"> & { readonly store: Pick<Store, "watch"> };
  onError: (error: unknown) => void;
  clock?: Clock;
}): Repeated {
  const { runtime, onError, clock = systemClock } = options;
  let changes = 0;
  let isComplete = false;
  const unwatch = runtime.store.watch(() => (changes += 1));
  const work = async (): Promise<void> => {
    if (changes === 0 && isComplete) return;
    const isBusy = changes > manyChanges;
    changes = 0;
    isComplete = false;
    const isIndexed = await runtime.indexTexts(isBusy ? whileBusy : atATime);
    const isRead = await runtime.readActivity(isBusy ? whileBusy : readingActivity);
    isComplete = isIndexed && isRead;
  };
  const repeated = repeat({ work, first: 2_000, every: 5_000, onError, clock });
  return {
    stop: async () => {
      unwatch();
      await repeated.stop();
      await runtime.indexTexts(beforeStop).catch(onError);
    },
  };
}
