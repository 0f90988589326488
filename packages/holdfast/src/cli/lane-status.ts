import type { LaneState } from "../main.ts";
import { holdText } from "./holds.ts";

/** What a session is doing, in a few words; what needs a person comes first. */
export function laneStatus(lane: LaneState): string {
  const { active, holds, queue } = lane;
  const waiting = queue.length > 0 ? [`${queue.length} queued`] : [];
  const asks = active?.kind === "run" ? active.asks.length : 0;
  if (asks > 0) return ["needs you: an answer is awaited", ...waiting].join(", ");
  const [hold] = holds;
  if (hold !== undefined) {
    const word = hold.kind === "failure" ? "held" : "needs you";
    return [`${word}: ${holdText(hold)}`, ...waiting].join(", ");
  }
  if (active === null) return waiting[0] ?? "idle";
  return [activeText(active), ...waiting].join(", ");
}

function activeText(active: NonNullable<LaneState["active"]>): string {
  if (active.kind === "work") return `busy: ${active.name}`;
  if (active.condition.status === "stopping") return "stopping";
  return active.owner === null ? "cut off, goes on when it is continued" : "running";
}
