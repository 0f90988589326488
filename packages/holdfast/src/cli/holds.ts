import { CommandRefused } from "../main.ts";
import type { Holdfast, LaneState } from "../main.ts";

/** A person lets the session go on (L4, R1). */
export async function releaseHolds(runtime: Holdfast, lane: LaneState): Promise<void> {
  const { sessionId } = lane;
  for (const { holdId } of lane.holds) {
    const answer = await runtime.store.execute({
      command: {
        type: "hold.release",
        sessionId,
        target: { kind: "hold", holdId },
        actor: { kind: "client", id: "local" },
      },
    });
    if (answer.status === "refused" && answer.refusal.code !== "unknownHold") {
      throw new CommandRefused(answer.refusal);
    }
  }
}
