import { createMemo, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { currentTodo } from "@holdfast/model/current-todo.ts";
import type { TodoItems } from "@holdfast/model/current-todo.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import { Icon } from "../../ui/icon.tsx";
import { useSession } from "./session-context.ts";

/** The current todo list of the agent, above the composer. It shows the item in progress; a click shows all items. */
export function TodoPanel(): JSX.Element {
  const open = useSession();
  const items = createMemo(() => currentTodo(open.conversation()));
  const done = (known: TodoItems): number => known.filter(({ status }) => status === "done").length;
  const next = (known: TodoItems) =>
    known.find(({ status }) => status === "active") ??
    known.find(({ status }) => status !== "done");
  return (
    <Show when={items()}>
      {(known) => (
        <details class="todo-panel">
          <summary>
            <Icon name="chevronRight" size={12} />
            <span class="todo-count">
              {t().calls.todo({ done: done(known()), all: known().length })}
            </span>
            <span class="todo-next">{visibleText(next(known())?.text ?? "")}</span>
          </summary>
          <TodoList items={known()} />
        </details>
      )}
    </Show>
  );
}

export function TodoList(props: { items: TodoItems }): JSX.Element {
  return (
    <ul class="todo">
      <For each={props.items}>
        {(item) => (
          <li class={item.status}>
            <span class="todo-box" aria-hidden="true">
              <Show when={item.status === "done"}>
                <Icon name="check" size={12} />
              </Show>
            </span>
            {visibleText(item.text)}
          </li>
        )}
      </For>
    </ul>
  );
}
