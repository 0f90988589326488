import type { LaneEvent } from "../kernel/event.ts";

/** The prompt, run or work to which an event of this type happens once: stores keep it unique. */
export function subjectOf(event: LaneEvent): string | null {
  const { type } = event;
  if (type === "prompt.accepted" || type === "prompt.tombstoned" || type === "prompt.settled") {
    return event.promptId;
  }
  if (type === "run.started" || type === "run.ended") return event.runId;
  const isWork = type === "work.queued" || type === "work.started" || type === "work.ended";
  return isWork ? event.workId : null;
}
