import type { WireEvent } from "@holdfast/sdk";

/** Text for a person who looks elsewhere: a run has ended or asks. Null: nothing to tell. */
export function notification(event: WireEvent): string | null {
  if (event.type === "ask.opened") return `Needs you: ${event.content?.question ?? "a question"}`;
  if (event.type !== "run.ended") return null;
  const { status } = event.outcome;
  return status === "completed" ? "Finished" : status === "failed" ? "Failed" : null;
}
