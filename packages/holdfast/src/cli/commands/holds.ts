import type { SessionHandle } from "@holdfast/sdk";

/** Ends all pauses (holds) of a session. Call this only if a person has asked for it (L4, R1). */
export async function releaseHolds(session: SessionHandle): Promise<void> {
  for (const { holdId } of await session.holds()) {
    try {
      await session.release(holdId);
    } catch (error) {
      const { Refused } = await import("@holdfast/sdk");
      // Another client released the hold at the same moment.
      if (!(error instanceof Refused) || error.code !== "unknownHold") throw error;
    }
  }
}
