import { createSignal } from "solid-js";
import type { QueueItem } from "@holdfast/model/queue.ts";

/** The edited text of a queued prompt that is not saved yet. It is kept if the prompt starts during the edit. */
export interface QueueEdit {
  readonly sessionId: string;
  /** The prompt as it was in the queue. */
  readonly item: QueueItem & { readonly kind: "prompt" };
  readonly text: string;
}

const [edits, setEdits] = createSignal<readonly QueueEdit[]>([]);

/** Unsaved edits of a session's queue, oldest first. */
export function queueEdits(sessionId: string): readonly QueueEdit[] {
  return edits().filter((edit) => edit.sessionId === sessionId);
}

export function queueEdit(sessionId: string, promptId: string): QueueEdit | null {
  return queueEdits(sessionId).find(({ item }) => item.promptId === promptId) ?? null;
}

/** Starts an edit, or updates its text. */
export function keepQueueEdit(edit: QueueEdit): void {
  setEdits((before) => {
    const at = before.findIndex((each) => isSame(each, edit));
    return at === -1 ? [...before, edit] : before.with(at, edit);
  });
}

export function dropQueueEdit(edit: QueueEdit): void {
  setEdits((before) => before.filter((each) => !isSame(each, edit)));
}

function isSame(left: QueueEdit, right: QueueEdit): boolean {
  return left.sessionId === right.sessionId && left.item.promptId === right.item.promptId;
}
