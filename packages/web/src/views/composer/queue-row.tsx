import { createEffect, createMemo, createSignal, on, Show } from "solid-js";
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
import { putBackAction } from "../session-actions.tsx";
import { useSession } from "../session/session-context.ts";
import { QueueEditBox } from "./queue-edit-box.tsx";
import { keepQueueEdit, queueEdit } from "./queue-edits.ts";

/** One queued prompt, with controls to edit, move and withdraw it. */
export function QueueRow(props: {
  sessionId: string;
  item: QueueItem;
  /** Position of the prompt in the queue. Null if the prompt joins the active run. */
  place: number | null;
  /** Whether the prompt has left the queue. Its row stays while its text is edited. */
  hasStarted?: boolean;
  isTarget?: boolean;
  isDragged?: boolean;
  onDrag?: (isBegin: boolean) => void;
  onMove?: (by: number) => void;
}): JSX.Element {
  let row: HTMLLIElement | undefined;
  const open = useSession();
  const [known, setKnown] = createSignal<string | null>(null);
  const id = (): string => queueId(props.item);
  const edit = createMemo(() => queueEdit(props.sessionId, id()));
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
  const startEdit = (): Promise<void> =>
    attempt(async () => {
      const { item, sessionId } = props;
      if (item.kind !== "prompt") return;
      // Read the prompt, because the event stream may have cut its text.
      const { text, revision } = await prompt().get();
      if (text === null || queueEdit(sessionId, item.promptId) !== null) return;
      keepQueueEdit({ sessionId, item: { ...item, revision }, text });
    });
  const leaveEdit = (): void => {
    // The row of a started prompt disappears when its edit ends, so move the focus to the composer.
    if (props.hasStarted === true) document.querySelector<HTMLElement>("#composer")?.focus();
    else row?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!event.altKey || edit() !== null) return;
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
      draggable={mayDecide() && edit() === null && isMovable()}
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
      <Show when={edit()} fallback={<span class="queue-text">{visibleText(text())}</span>}>
        {(known) => (
          <QueueEditBox edit={known()} hasStarted={props.hasStarted ?? false} onClose={leaveEdit} />
        )}
      </Show>
      <Show when={props.place === null && props.hasStarted !== true}>
        <span class="note steered">{t().queue.steering}</span>
      </Show>
      <Show when={mayDecide() && props.item.kind === "prompt" && edit() === null}>
        <IconButton
          class="queue-more"
          icon="more"
          label={t().app.more}
          onClick={() => row?.focus()}
        />
        <span class="queue-tools">
          <IconButton icon="pencil" label={t().queue.edit} onClick={() => void startEdit()} />
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
                const receipt = await prompt().withdraw();
                const actions = [putBackAction(props.sessionId, receipt)];
                showToast(() => t().queue.withdrawn, { actions });
              })
            }
          />
        </span>
      </Show>
    </li>
  );
}
