import { Refused } from "@holdfast/sdk";
import { createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { addToDraft } from "../../state/drafts.ts";
import { sendPrompt } from "../../state/outbox.ts";
import { showError } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { dropQueueEdit, keepQueueEdit } from "./queue-edits.ts";
import type { QueueEdit } from "./queue-edits.ts";

/**
 * Edits the text of a queued prompt. If the prompt starts during the edit, the box keeps its text and focus, and offers
 * to send the text as a new prompt.
 */
export function QueueEditBox(props: {
  edit: QueueEdit;
  /** Whether the prompt has left the queue. Its text can then no longer be changed. */
  hasStarted: boolean;
  /** Called just before this edit box is removed, so that the parent can move the focus to another element. */
  onClose: () => void;
}): JSX.Element {
  let main: HTMLButtonElement | undefined;
  const [isSaving, setSaving] = createSignal(false);
  const { sessionId, item } = props.edit;
  const words = (): string => props.edit.text.trim();
  const close = (): void => {
    props.onClose();
    dropQueueEdit(props.edit);
  };
  const save = async (): Promise<void> => {
    if (words() === "" || isSaving()) return;
    setSaving(true);
    try {
      const prompt = holdfast.session(sessionId).promptById(item.promptId);
      await prompt.edit(words(), { revision: item.revision });
      showToast(() => t().queue.saved);
      close();
    } catch (error) {
      const isLate = error instanceof Refused && error.code !== "staleRevision";
      if (isLate) showToast(() => t().queue.started, { tone: "bad" });
      else showError(error);
    } finally {
      setSaving(false);
    }
  };
  const sendNew = (): void => {
    const text = words();
    void sendPrompt({ sessionId, text, delivery: "queue", attachments: [] }).then((promptId) => {
      if (promptId === null) addToDraft(sessionId, text);
    });
    close();
  };
  const onKey = (event: KeyboardEvent): void => {
    // In an input method, Enter confirms a word and must not end the edit.
    if (event.isComposing) return;
    const isEnter = event.key === "Enter" && !event.shiftKey;
    if (!isEnter && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (!isEnter) close();
    // Only focus the button. A second Enter presses the button, which sends the text as a new prompt.
    else if (props.hasStarted) main?.focus();
    else void save();
  };
  return (
    <div class="queue-edit">
      <textarea
        value={props.edit.text}
        aria-label={t().queue.edit}
        ref={(area) => queueMicrotask(() => area.focus())}
        onInput={(event) => keepQueueEdit({ ...props.edit, text: event.currentTarget.value })}
        onKeyDown={onKey}
      />
      <Show when={props.hasStarted}>
        <p class="queue-late" role="status">
          {t().queue.startedMeanwhile}
        </p>
      </Show>
      <div class="buttons">
        <button type="button" class="button small" onClick={close}>
          {t().queue.discard}
        </button>
        <button
          ref={main}
          type="button"
          class="button small primary"
          disabled={words() === "" || isSaving()}
          onClick={() => (props.hasStarted ? sendNew() : void save())}
        >
          {props.hasStarted ? t().queue.sendAsNew : t().app.save}
        </button>
      </div>
    </div>
  );
}
