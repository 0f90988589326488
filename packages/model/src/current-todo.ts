import { knownExtra } from "./call-title.ts";
import type { KnownExtra } from "./call-title.ts";
import type { Conversation } from "./conversation.ts";

export type TodoItems = NonNullable<KnownExtra["todo"]>;

/** Returns the todo list of the latest run; null if there is none, or if all its items are done. */
export function currentTodo({ entries }: Conversation): TodoItems | null {
  let runId: string | null = null;
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "step") continue;
    runId ??= entry.runId;
    if (entry.runId !== runId) return null;
    for (const call of entry.calls.toReversed()) {
      const { todo } = call.status === "completed" ? knownExtra(call.extra) : { todo: null };
      if (todo !== null) return todo.some(({ status }) => status !== "done") ? todo : null;
    }
  }
  return null;
}
