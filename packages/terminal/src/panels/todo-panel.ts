import { knownExtra } from "@holdfast/model/call-title.ts";
import type { KnownExtra } from "@holdfast/model/call-title.ts";
import type { Conversation } from "@holdfast/model/conversation.ts";
import type { Look } from "../screen/look.ts";
import { fit, oneLine } from "../screen/text.ts";

const shownItems = 5;

type Todo = NonNullable<KnownExtra["todo"]>;

/** Returns the rows of the session's latest todo list, as long as an item is open. */
export function todoRows(
  conversation: Conversation | null,
  { look, columns }: { look: Look; columns: number },
): string[] {
  const todo = conversation === null ? null : latestTodo(conversation);
  if (todo === null || todo.length === 0) return [];
  const done = todo.filter(({ status }) => status === "done").length;
  if (done === todo.length) return [];
  const first = todo.findIndex(({ status }) => status !== "done");
  const begin = Math.max(0, Math.min(first - 1, todo.length - shownItems));
  const shown = todo.slice(begin, begin + shownItems);
  const hidden = todo.length - shown.length;
  const more = hidden > 0 ? look.dim(` · ${hidden} more`) : "";
  return [
    `${look.bold("Todo")} ${look.dim(`${done} of ${todo.length} done`)}${more}`,
    ...shown.map(({ text, status }) => fit(`  ${itemText(oneLine(text), status, look)}`, columns)),
  ];
}

function itemText(text: string, status: string, look: Look): string {
  if (status === "done") return look.dim(`☑ ${look.strike(text)}`);
  return status === "active" ? look.accent(`▶ ${text}`) : `☐ ${text}`;
}

function latestTodo({ entries }: Conversation): Todo | null {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry?.kind !== "step") continue;
    const call = entry.calls.findLast(
      ({ name, status }) => name === "todo" && status === "completed",
    );
    if (call !== undefined) return knownExtra(call.extra).todo;
  }
  return null;
}
