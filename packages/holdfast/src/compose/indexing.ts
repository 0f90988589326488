import { repeat } from "../base/repeat.ts";
import type { Repeated } from "../base/repeat.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Maximum milliseconds of one round of indexing, and of the last round before the server stops. */
const atATime = 10_000;
const beforeStop = 1_000;
/** Maximum milliseconds in which one round reads the log for the activity summary. */
const readingActivity = 500;

/**
 * Every few seconds, indexes new texts for the search and reads new events for the activity summary, so that a request
 * finds little left to do. The first rounds index the texts of a database that an older release wrote.
 */
export function startIndexing(options: {
  runtime: Pick<Runtime, "indexTexts" | "readActivity">;
  onError: (error: unknown) => void;
}): Repeated {
  const { runtime, onError } = options;
  const work = async (): Promise<void> => {
    await runtime.indexTexts(atATime);
    await runtime.readActivity(readingActivity);
  };
  const repeated = repeat({ work, first: 2_000, every: 5_000, onError });
  return {
    stop: async () => {
      await repeated.stop();
      await runtime.indexTexts(beforeStop).catch(onError);
    },
  };
}
