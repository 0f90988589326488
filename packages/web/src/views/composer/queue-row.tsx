import { Refused } from "@holdfast/sdk";
import { createEffect, createSignal, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { queueId } from "@holdfast/model/queue.ts";
import type { QueueItem } from "@holdfast/model/queue.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { mayDecide } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { attempt, showError } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { useSession } from "../session/session-context.ts";

/** One queued prompt, with controls to edit, move and withdraw it. */
export function QueueRow(props: {
  sessionId: string;
  item: QueueItem;
  /** Position of the prompt in the queue. Null if the prompt joins the active run. */
  place: number | null;
  isTarget?: boolean;
  isDragged?: boolean;
  onDrag?: (isBegin: boolean) => void;
  onMove?: (by: number) => void;
}): JSX.Element {
  let row: HTMLLIElement | undefined;
  const open = useSession();
  const [edited, setEdited] = createSignal<string | null>(null);
  const [known, setKnown] = createSignal<string | null>(null);
  const id = (): string => queueId(props.item);
  const prompt = () => holdfast.session(props.sessionId).promptById(id());
  const isMovable = (): boolean => props.place !== null && props.item.kind === "prompt";
  const revision = (): number => (props.item.kind === "prompt" ? props.item.revision : 0);
  const text = (): string => {
    if (props.item.kind === "work") return `${t().queue.work}: ${props.item.name}`;
    return open.conversation().prompts.get(props.item.promptId)?.text ?? known() ?? "…";
  };
  createEffect(
    on([id, revision], () => {
      if (props.item.kind !== "prompt" || text() !== "…") return;
      // The prompt was accepted before the loaded part of the log, so load its text.
      void prompt()
        .get()
        .then((entry) => setKnown(entry.text), showError);
    }),
  );
  const save = async (): Promise<void> => {
    const words = edited()?.trim() ?? "";
    setEdited(null);
    if (words === "" || words === text()) return;
    try {
      await prompt().edit(words, { revision: revision() });
      showToast(() => t().queue.saved);
    } catch (error) {
      if (error instanceof Refused && error.code !== "staleRevision") {
        showToast(() => t().queue.started, { tone: "bad" });
      } else showError(error);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!event.altKey || edited() !== null) return;
    if (event.key === "ArrowUp") props.onMove?.(-1);
    else if (event.key === "ArrowDown") props.onMove?.(1);
    else return;
    event.preventDefault();
  };
  return (
    <li
      ref={row}
      class="queue-row"
      data-prompt={id()}
      classList={{ target: props.isTarget, dragged: props.isDragged }}
      draggable={mayDecide() && edited() === null && isMovable()}
      onDragStart={(event) => {
        event.dataTransfer?.setData("text/plain", text());
        props.onDrag?.(true);
      }}
      onDragEnd={() => props.onDrag?.(false)}
      onKeyDown={onKey}
      tabindex="0"
      aria-keyshortcuts={isMovable() ? "Alt+ArrowUp Alt+ArrowDown" : undefined}
    >
      <span class="grip" title={isMovable() ? t().queue.drag : undefined} aria-hidden="true">
        <Icon name={isMovable() ? "grip" : "branch"} size={14} />
      </span>
      <span class="queue-place">{props.place}</span>
      <Show
        when={edited() === null}
        fallback={
          <textarea
            class="queue-edit"
            value={edited() ?? ""}
            aria-label={t().queue.edit}
            ref={(area) => queueMicrotask(() => area.focus())}
            onInput={(event) => setEdited(event.currentTarget.value)}
            onKeyDown={(event) => {
              // Enter also confirms a word in an input method, which must not end the edit.
              if (event.isComposing) return;
              if (event.key === "Escape") setEdited(null);
              if (event.key === "Enter" && !event.shiftKey) void save();
              if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) {
                event.preventDefault();
                event.stopPropagation();
              }
            }}
          />
        }
      >
        <span class="queue-text">{visibleText(text())}</span>
      </Show>
      <Show when={props.place === null}>
        <span class="note steered">{t().queue.steering}</span>
      </Show>
      <Show when={mayDecide() && props.item.kind === "prompt"}>
        <IconButton
          class="queue-more"
          icon="more"
          label={t().app.more}
          onClick={() => row?.focus()}
        />
        <span class="queue-tools">
          <Show
            when={edited() === null}
            fallback={<IconButton icon="check" label={t().app.save} onClick={() => void save()} />}
          >
            <IconButton icon="pencil" label={t().queue.edit} onClick={() => setEdited(text())} />
          </Show>
          <Show when={isMovable()}>
            <IconButton icon="arrowUp" label={t().queue.up} onClick={() => props.onMove?.(-1)} />
            <IconButton icon="arrowDown" label={t().queue.down} onClick={() => props.onMove?.(1)} />
          </Show>
          <IconButton
            icon="bolt"
            label={t().queue.promote}
            onClick={() => void attempt(() => prompt().promote())}
          />
          <IconButton
            icon="close"
            label={t().queue.withdraw}
            onClick={() =>
              void attempt(async () => {
                await prompt().withdraw();
                showToast(() => t().queue.withdrawn);
              })
            }
          />
        </span>
      </Show>
    </li>
  );
}
