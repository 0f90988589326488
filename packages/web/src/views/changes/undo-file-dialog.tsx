import { createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { ChangesState, FileChange } from "./changes-state.ts";
import { shownPath } from "./file-row.tsx";

/** Asks for confirmation before the changes to one file are undone: those of the chosen run, or those of all runs. */
export function UndoFileDialog(props: {
  state: ChangesState;
  file: FileChange;
  directory: string;
  isBusy: boolean;
  onClose: () => void;
}): JSX.Element {
  const name = (): string => shownPath(props.file.path, props.directory);
  const isMixed = (): boolean => props.file.others !== null;
  const [isUndoing, setUndoing] = createSignal(false);
  const undo = async (): Promise<void> => {
    const { state, file } = props;
    const session = holdfast.session(state.sessionId);
    const chosen = state.runId();
    // Undo the latest run first, so that each undo finds the content that its run left.
    const runIds = chosen === null ? file.runIds.toReversed() : [chosen];
    const files = file.from === null ? [file.path] : [file.path, file.from];
    let problem: string | null = null;
    for (const runId of runIds) {
      const work = await session.revert(runId, { files, overwrite: isMixed() });
      if (work.cause === "done" && work.result?.status === "completed") continue;
      problem = work.result?.status === "failed" ? work.result.message : t().revert.stopped;
      break;
    }
    const text = name();
    showToast(() => problem ?? t().changes.undo.done({ path: text }), {
      tone: problem === null ? "good" : "bad",
    });
    state.reload();
  };
  const confirm = (): void => {
    setUndoing(true);
    props.onClose();
    void attempt(undo);
  };
  return (
    <Dialog title={t().changes.undo.title} onClose={() => props.onClose()}>
      <div class="stack">
        <p>
          <code>{name()}</code>
        </p>
        <p>
          {props.file.status === "created"
            ? t().changes.undo.deletes
            : props.state.runId() === null
              ? t().changes.undo.restoresSession
              : t().changes.undo.restoresRun}
        </p>
        <Show when={props.state.runId() === null && props.file.runIds.length > 1}>
          <p>{t().changes.undo.runs({ runs: props.file.runIds.length })}</p>
        </Show>
        <Show when={isMixed()}>
          <p class="call-hint">{t().changes.undo.others}</p>
        </Show>
        <Show when={props.isBusy}>
          <p class="call-hint">{t().changes.undo.waits}</p>
        </Show>
        <div class="buttons">
          <button type="button" class="button" onClick={() => props.onClose()}>
            {t().app.cancel}
          </button>
          <button type="button" class="button dangerous" disabled={isUndoing()} onClick={confirm}>
            {isMixed() ? t().changes.undo.confirmOthers : t().changes.undo.confirm}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
