import { Refused } from "@holdfast/sdk";
import type { Hold, SessionHandle } from "@holdfast/sdk";
import { oneLine } from "./printable.ts";

/** A person lets the session go on (L4, R1). */
export async function releaseHolds(session: SessionHandle): Promise<void> {
  for (const { holdId } of await session.holds()) {
    try {
      await session.release(holdId);
    } catch (error) {
      // Somebody else has released it in the same moment.
      if (!(error instanceof Refused) || error.code !== "unknownHold") throw error;
    }
  }
}

/** Why a session starts nothing. */
export function holdText(hold: Hold): string {
  switch (hold.kind) {
    case "person":
      return oneLine(hold.reason, 60);
    case "failure":
      return hold.retryAt === null
        ? hold.reason
        : `${hold.reason}, until ${new Date(hold.retryAt).toLocaleTimeString()}`;
    case "recovery":
      return "a run was cut off, and waits for a person";
  }
}
