import { repeat } from "../base/repeat.ts";
import type { Repeated } from "../base/repeat.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Maximum milliseconds of one round of indexing, and of the last round before the server stops. */
const atATime = 10_000;
const beforeStop = 1_000;

/**
 * Indexes new texts for the search every few seconds, so that a search finds little left to index. The first rounds
 * index the texts of a database that an older release wrote.
 */
export function startIndexing(options: {
  runtime: Pick<Runtime, "indexTexts">;
  onError: (error: unknown) => void;
}): Repeated {
  const { runtime, onError } = options;
  const work = async (): Promise<void> => {
    await runtime.indexTexts(atATime);
  };
  const repeated = repeat({ work, first: 2_000, every: 5_000, onError });
  return {
    stop: async () => {
      await repeated.stop();
      await runtime.indexTexts(beforeStop).catch(onError);
    },
  };
}
