import type { LaneEvent } from "../../../src/kernel/event.ts";
import { openHistory } from "../../../src/kernel/history.ts";

/** Every promise that a whole log breaks. */
export function checkHistory(events: readonly LaneEvent[]): string[] {
  const history = openHistory();
  for (const event of events) history.add(event);
  return history.problems();
}
