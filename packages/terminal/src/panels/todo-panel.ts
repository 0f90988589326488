import type { Conversation } from "@holdfast/model/conversation.ts";
import { currentTodo } from "@holdfast/model/current-todo.ts";
import type { Look } from "../screen/look.ts";
import { fit } from "../screen/text.ts";
import { todoItem } from "../transcript/call-card.ts";

const shownItems = 5;

/** Returns the rows of the latest run's todo list, as long as an item is open. */
export function todoRows(
  conversation: Conversation | null,
  { look, columns }: { look: Look; columns: number },
): string[] {
  const todo = conversation === null ? null : currentTodo(conversation);
  if (todo === null) return [];
  const done = todo.filter(({ status }) => status === "done").length;
  const first = todo.findIndex(({ status }) => status !== "done");
  const begin = Math.max(0, Math.min(first - 1, todo.length - shownItems));
  const shown = todo.slice(begin, begin + shownItems);
  const hidden = todo.length - shown.length;
  const more = hidden > 0 ? look.dim(` · ${hidden} more`) : "";
  return [
    `${look.bold("Todo")} ${look.dim(`${done} of ${todo.length} done`)}${more}`,
    ...shown.map((item) => fit(`  ${todoItem(item, look)}`, columns)),
  ];
}
