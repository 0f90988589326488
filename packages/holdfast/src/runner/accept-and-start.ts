import { setImmediate } from "node:timers/promises";
import type { Answer } from "../kernel/transaction.ts";
import type { Store, StoreRequest } from "../store/store.ts";
import type { Claim, PreparedStart } from "./claim.ts";

export interface AcceptedAndStarted {
  readonly answer: Promise<Answer>;
  /** The prompt's run; null when it is left to whoever looks at the lane next. */
  readonly claim: Promise<Claim | null>;
}

/**
 * Accepts a prompt of a lane that is idle, and sends its start right behind it, so that one commit may hold
 * both. The kernel decides them one after the other, as ever.
 */
export function acceptAndStart(
  request: StoreRequest,
  parts: {
    readonly store: Pick<Store, "execute">;
    readonly prepared: Promise<PreparedStart | null>;
    readonly isDraining: () => boolean;
    readonly onError: (error: unknown) => void;
  },
): AcceptedAndStarted {
  const { store, isDraining, onError } = parts;
  const atHand = atOnce(parts.prepared).catch((error: unknown) => {
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
      // A store that is away fails both, and whoever has sent the prompt is told.
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

/** What is not there without a wait is given back when it comes: no acknowledgement waits for it. */
async function atOnce(prepared: Promise<PreparedStart | null>): Promise<PreparedStart | null> {
  const late = Symbol("late");
  const found = await Promise.race([prepared, setImmediate(late)]);
  if (found !== late) return found;
  // Without a prepared start there is nothing to give back.
  prepared.then(
    (start) => start?.giveBack(),
    () => {},
  );
  return null;
}
