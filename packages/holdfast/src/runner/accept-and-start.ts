import { setImmediate as nextRound } from "node:timers/promises";
import type { Answer } from "../kernel/transaction.ts";
import type { Store, StoreRequest } from "../store/store.ts";
import type { Claim, PreparedStart } from "./claim.ts";

export interface AcceptedAndStarted {
  readonly answer: Promise<Answer>;
  /**
   * The claim of the run that was started for the prompt. Null: the run is started later, by another process or by a
   * later claim of this process.
   */
  readonly claim: Promise<Claim | null>;
}

/**
 * Sends the command that accepts a prompt for an idle lane, and right after it the command that starts the prompt's
 * run, so that one commit can contain both. The kernel still processes them one after the other.
 */
export function acceptAndStart(
  request: StoreRequest,
  options: {
    readonly store: Pick<Store, "execute">;
    readonly prepared: Promise<PreparedStart | null>;
    readonly isDraining: () => boolean;
    readonly onError: (error: unknown) => void;
  },
): AcceptedAndStarted {
  const { store, isDraining, onError } = options;
  const readyStart = ifReadyNow(options.prepared).catch((error: unknown) => {
    onError(error);
    return null;
  });
  const sent = readyStart.then((start) => {
    const answer = store.execute(request);
    if (start === null || isDraining()) {
      start?.giveBack();
      return { answer, claim: null };
    }
    const claim = start.send().catch(async (error: unknown) => {
      // The run could not be started. If the prompt could not be accepted either, ignore this error: the store is
      // unavailable, and the sender already gets the error of the accept.
      const wasAnswered = await answer.then(
        () => true,
        () => false,
      );
      if (wasAnswered) throw error;
      return null;
    });
    return { answer, claim };
  });
  return {
    answer: sent.then(({ answer }) => answer),
    claim: sent.then(({ claim }) => claim),
  };
}

/**
 * Returns the prepared start of a run if it is ready at once, otherwise null. So the acknowledgement of the prompt does
 * not wait for the preparation.
 */
async function ifReadyNow(prepared: Promise<PreparedStart | null>): Promise<PreparedStart | null> {
  const late = Symbol("late");
  const found = await Promise.race([prepared, nextRound(late)]);
  if (found !== late) return found;
  // The prepared start came too late to be used. Release its resources as soon as it is ready. If the preparation
  // fails, there is nothing to release.
  prepared.then(
    (start) => start?.giveBack(),
    () => {},
  );
  return null;
}
