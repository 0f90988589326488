import type { SessionDetail } from "@holdfast/sdk";

export type QueueItem = SessionDetail["queue"][number];

export function queueId(item: QueueItem): string {
  return item.kind === "prompt" ? item.promptId : item.workId;
}

/** Whether the prompt joins the active run at its next step. */
export function isSteering(item: QueueItem): boolean {
  return item.kind === "prompt" && item.binding !== null;
}

/**
 * Returns the argument for `move` that puts an item at a position: the id to put it before, or null for the end.
 * Undefined if the item is already there.
 */
export function moveBefore(
  queue: readonly QueueItem[],
  id: string,
  place: number,
): string | null | undefined {
  const ids = queue.map(queueId);
  const from = ids.indexOf(id);
  const others = ids.filter((other) => other !== id);
  const to = Math.max(0, Math.min(place, others.length));
  if (from === -1 || from === to) return undefined;
  return others[to] ?? null;
}
