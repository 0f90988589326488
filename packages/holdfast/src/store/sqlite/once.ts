import type { LaneEvent } from "../../kernel/event.ts";

/**
 * Events that happen once to their subject, and the number under which the log's index keeps each:
 * those that bring a prompt first. prompt.settled is there only where the ledger's key for the prompt was
 * taken. The numbers are in databases, and never change.
 */
export const onceNumbers: Readonly<Partial<Record<LaneEvent["type"], number>>> = {
  "prompt.accepted": 1,
  "prompt.tombstoned": 2,
  "prompt.settled": 3,
  "run.started": 4,
  "run.ended": 5,
  "work.queued": 6,
  "work.started": 7,
  "work.ended": 8,
};
