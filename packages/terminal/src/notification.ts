import type { WireEvent } from "@holdfast/sdk";

/**
 * Returns the text of a desktop notification: a run has ended or needs an answer. Null: the event needs no
 * notification.
 */
export function notification(event: WireEvent): string | null {
  if (event.type === "ask.opened") return `Needs you: ${event.content?.question ?? "a question"}`;
  if (event.type !== "run.ended") return null;
  const { status } = event.outcome;
  return status === "completed" ? "Finished" : status === "failed" ? "Failed" : null;
}
