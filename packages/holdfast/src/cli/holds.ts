import { CommandRefused } from "../main.ts";
import type { Hold, Runtime, LaneState } from "../main.ts";
import { oneLine } from "./printable.ts";

/** A person lets the session go on (L4, R1). */
export async function releaseHolds(runtime: Runtime, lane: LaneState): Promise<void> {
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
