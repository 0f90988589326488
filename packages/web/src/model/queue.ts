import type { SessionDetail } from "@holdfast/sdk";

export type QueueItem = SessionDetail["queue"][number];

export function queueId(item: QueueItem): string {
  return item.kind === "prompt" ? item.promptId : item.workId;
}

/** Whether it joins the active run at its next step, wherever it stands. */
export function isSteering(item: QueueItem): boolean {
  return item.kind === "prompt" && item.binding !== null;
}

/**
 * What `move` is to be told so that an item stands at a place among the others: the id that it goes
 * before, or null for the end. Undefined when it stands there already.
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
