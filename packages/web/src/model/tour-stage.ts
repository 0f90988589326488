import type { Conversation } from "@holdfast/model/conversation.ts";

/** Stages of the guided demo. The events in the session's log determine which stage is current. */
export const tourStages = ["accepted", "working", "crashed", "resumed", "queue", "done"] as const;
export type TourStage = (typeof tourStages)[number];

/** Number of answers that the first run gives before its worker stops. It must match the script in `startTour`. */
const stepsBeforeCrash = 4;

/** Finds out from the log which stage of the demo is in progress. */
export function tourStage(conversation: Conversation): TourStage {
  const prompts = [...conversation.prompts.values()].toSorted(
    (left, right) => (left.acceptSeq ?? 0) - (right.acceptSeq ?? 0),
  );
  const [first, ...others] = prompts;
  const run = conversation.runs.get(first?.runId ?? "");
  if (first === undefined || run === undefined) return "accepted";
  if (first.settledAt !== null) {
    return others.every(({ settledAt }) => settledAt !== null) ? "done" : "queue";
  }
  if (run.attempt > 1) return "resumed";
  const answers = conversation.entries.filter(
    (entry) => entry.kind === "step" && entry.runId === run.runId && entry.answeredAt !== null,
  ).length;
  if (answers >= stepsBeforeCrash) return "crashed";
  return answers > 0 ? "working" : "accepted";
}
