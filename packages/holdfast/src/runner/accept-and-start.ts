import { setImmediate } from "node:timers/promises";
import type { Answer } from "../kernel/transaction.ts";
import type { Store, StoreRequest } from "../store/store.ts";
import type { Claim, PreparedStart } from "./claim.ts";

export interface AcceptedAndStarted {
  readonly answer: Promise<Answer>;
  /** The run that was started for the prompt. Null: another process or the next scan starts it. */
  readonly claim: Promise<Claim | null>;
}

/**
 * Accepts a prompt for an idle lane, and right after that sends the command that starts its run, so that one commit
 * can contain both commands. The kernel still decides them one after the other.
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
  const atHand = atOnce(options.prepared).catch((error: unknown) => {
    onError(error);
    return null;
  });
  const sent = atHand.then((start) => {
    const answer = store.execute(request);
    if (start === null || isDraining()) {
      start?.giveBack();
      return { answer, claim: null };
    }
    const claim = start.start().catch(async (error: unknown) => {
      // If the store is unavailable, the accept and the start both fail, and the sender receives the error.
      if (await answer.then(Boolean, () => false)) throw error;
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
 * Returns the prepared start of a run only if it is available without waiting. Otherwise the start is not used, so that
 * the acknowledgement of the prompt does not wait for it.
 */
async function atOnce(prepared: Promise<PreparedStart | null>): Promise<PreparedStart | null> {
  const late = Symbol("late");
  const found = await Promise.race([prepared, setImmediate(late)]);
  if (found !== late) return found;
  // Release the unused start after its preparation. If the preparation fails, there is nothing to release.
  prepared.then(
    (start) => start?.giveBack(),
    () => {},
  );
  return null;
}
