import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { isSteering, moveBefore, queueId } from "@holdfast/model/queue.ts";
import type { QueueItem } from "@holdfast/model/queue.ts";
import { mayDecide } from "../../state/account.ts";
import { holdfast } from "../../state/client.ts";
import { detailOf } from "../../state/sessions.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { clearQueue } from "../session-actions.tsx";
import { queueEdits } from "./queue-edits.ts";
import { QueueRow } from "./queue-row.tsx";

/** Number of queued prompts that are shown at first. It is small, because a queue can be long and a phone is small. */
const shownAtFirst = (): number =>
  matchMedia("(max-width: 760px), (max-height: 700px)").matches ? 3 : 5;

/**
 * Queued prompts in the order in which they will run. Prompts that join the active run come first.
 */
export function QueuePanel(props: { sessionId: string }): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const [dragged, setDragged] = createSignal<string | null>(null);
  const [target, setTarget] = createSignal<number | null>(null);
  const queue = createMemo((): readonly QueueItem[] => detailOf(props.sessionId)?.queue ?? []);
  const waiting = createMemo(() => queue().filter((item) => !isSteering(item)));
  const steeringIds = createMemo(() => queue().filter(isSteering).map(queueId));
  const ids = createMemo(() => waiting().map(queueId));
  /** Edited prompts that have left the queue. Their rows stay, so that no typed text is lost. */
  const started = createMemo(() => {
    const known = new Set(queue().map(queueId));
    return queueEdits(props.sessionId).flatMap(({ item }) =>
      known.has(item.promptId) ? [] : [item],
    );
  });
  const edited = createMemo(
    () => new Set(queueEdits(props.sessionId).map(({ item }) => queueId(item))),
  );
  const shown = createMemo(() => [
    ...started().map(queueId),
    ...ids().filter((id, index) => isWhole() || index < shownAtFirst() || edited().has(id)),
  ]);
  const itemOf = (id: string): QueueItem | undefined =>
    [...queue(), ...started()].find((item) => queueId(item) === id);
  const hidden = (): number => ids().length + started().length - shown().length;
  let list: HTMLOListElement | undefined;
  const move = (id: string, place: number): void => {
    const before = moveBefore(waiting(), id, place);
    if (before === undefined) return;
    const reached = Math.min(place, ids().length - 1) + 1;
    void attempt(async () => {
      await holdfast.session(props.sessionId).promptById(id).move(before);
      showToast(() => t().queue.moved({ place: reached }), { about: "move" });
    });
  };
  // If a row is moved in the page, it loses the focus. Restore the focus, so that keys can move the row again.
  let focused: string | null = null;
  createEffect(
    on(ids, () => {
      const id = focused;
      if (id === null) return;
      const row = list?.querySelector<HTMLElement>(`[data-prompt="${CSS.escape(id)}"]`);
      if (row === null || row?.contains(document.activeElement) !== false) return;
      (row.querySelector("textarea") ?? row).focus();
    }),
  );
  const drop = (): void => {
    const id = dragged();
    const place = target();
    setDragged(null);
    setTarget(null);
    if (id === null || place === null) return;
    const from = ids().indexOf(id);
    move(id, place > from ? place - 1 : place);
  };
  return (
    <Show when={queue().length + started().length > 0}>
      <section class="queue-panel" aria-label={t().queue.label}>
        <header>
          <h2>{t().queue.title}</h2>
          <span class="quiet">{queue().length}</span>
          <Show when={mayDecide() && queue().length > 0}>
            <button
              type="button"
              class="link-button"
              onClick={() => void clearQueue(props.sessionId)}
            >
              {t().queue.clear}
            </button>
          </Show>
        </header>
        <ol
          ref={list}
          onFocusIn={(event) => (focused = promptOf(event.target))}
          onFocusOut={(event) => {
            // `relatedTarget` is the element that gets the focus. It is null if the row lost the focus because the
            // row was moved: then remember the row.
            if (event.relatedTarget !== null) focused = promptOf(event.relatedTarget);
          }}
          onDragOver={(event) => {
            if (dragged() === null) return;
            event.preventDefault();
            setTarget(Math.max(0, placeAt(event) - steeringIds().length - started().length));
          }}
          onDrop={(event) => {
            event.preventDefault();
            drop();
          }}
        >
          <For each={steeringIds()}>
            {(id) => (
              <Show when={queue().find((item) => queueId(item) === id)}>
                {(item) => <QueueRow sessionId={props.sessionId} item={item()} place={null} />}
              </Show>
            )}
          </For>
          <For each={shown()}>
            {(id, index) => (
              <Show when={itemOf(id)}>
                {(item) => (
                  <QueueRow
                    sessionId={props.sessionId}
                    item={item()}
                    hasStarted={started().some((each) => queueId(each) === id)}
                    place={index() < started().length ? null : index() - started().length + 1}
                    isTarget={target() === index() - started().length && dragged() !== id}
                    isDragged={dragged() === id}
                    onDrag={(isBegin) => {
                      setDragged(isBegin ? id : null);
                      if (!isBegin) setTarget(null);
                    }}
                    onMove={(by) => move(id, ids().indexOf(id) + by)}
                  />
                )}
              </Show>
            )}
          </For>
        </ol>
        <Show when={hidden() > 0}>
          <button type="button" class="link-button" onClick={() => setWhole(true)}>
            {t().queue.more({ count: hidden() })}
          </button>
        </Show>
        <Show when={isWhole() && ids().length > shownAtFirst()}>
          <button type="button" class="link-button" onClick={() => setWhole(false)}>
            {t().conversation.showLess}
          </button>
        </Show>
      </section>
    </Show>
  );
}

function promptOf(target: EventTarget | null): string | null {
  if (!(target instanceof Element)) return null;
  return target.closest<HTMLElement>("[data-prompt]")?.dataset["prompt"] ?? null;
}

/**
 * Returns the queue position under the pointer: before a row if the pointer is in its upper half, otherwise after it.
 */
function placeAt(event: DragEvent & { currentTarget: HTMLElement }): number {
  const rows = [...event.currentTarget.querySelectorAll("li")];
  const at = rows.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return event.clientY < top + height / 2;
  });
  return at === -1 ? rows.length : at;
}
