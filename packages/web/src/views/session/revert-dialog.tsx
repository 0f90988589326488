import type { RevertPlan } from "@holdfast/sdk";
import { createResource, createSignal, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { holdfast } from "../../state/client.ts";
import { attempt, showError } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** Number of files that are shown with their diffs. The undo also covers the other files. */
const most = 100;

/** Shows which files an undo of a run would change, and asks for confirmation. */
export function RevertDialog(props: {
  sessionId: string;
  runId: string;
  onClose: () => void;
}): JSX.Element {
  const handle = () => holdfast.session(props.sessionId);
  const [overwrite, setOverwrite] = createSignal(false);
  /** Paths of the files that the user has excluded from the undo. */
  const [kept, setKept] = createSignal<ReadonlySet<string>>(new Set());
  const chosen = (): readonly string[] =>
    (plan()?.files ?? []).map(({ path }) => path).filter((path) => !kept().has(path));
  const toggle = (path: string): void => {
    setKept((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  };
  const [plan] = createResource(
    () => props.runId,
    (runId): Promise<RevertPlan | null> =>
      handle()
        .planRevert(runId)
        .catch((error: unknown) => {
          showError(error);
          props.onClose();
          return null;
        }),
  );
  const hasConflicts = (): boolean =>
    plan()?.files.some(({ path, conflict }) => conflict !== null && !kept().has(path)) ?? false;
  const revert = (): void => {
    const { runId } = props;
    const files = kept().size === 0 ? {} : { files: [...chosen()] };
    props.onClose();
    void attempt(async () => {
      const work = await handle().revert(runId, { overwrite: overwrite(), ...files });
      const isDone = work.cause === "done" && work.result?.status === "completed";
      const problem = work.result?.status === "failed" ? work.result.message : null;
      showToast(() => (isDone ? t().revert.done : (problem ?? t().revert.stopped)), {
        tone: isDone ? "good" : "bad",
      });
    });
  };
  return (
    <Dialog title={t().revert.title} class="wide" onClose={() => props.onClose()}>
      <Show when={plan()} fallback={<p class="quiet">{t().app.loading}</p>}>
        {(known) => (
          <div class="stack">
            <Show when={known().files.length === 0}>
              <p>{t().revert.nothing}</p>
            </Show>
            <For each={known().files.slice(0, most)}>
              {(file) => (
                <div>
                  <label class="check">
                    <input
                      type="checkbox"
                      checked={!kept().has(file.path)}
                      onChange={() => toggle(file.path)}
                    />
                    {t().revert.file({ path: visibleText(file.path) })}
                  </label>
                  <Show
                    when={file.removes}
                    fallback={<DiffView diff={file.diff} path={file.path} />}
                  >
                    <p class="quiet">{t().revert.removes}</p>
                  </Show>
                  <Show when={file.conflict}>
                    {(why) => <p class="call-hint">{t().revert.conflict({ why: why() })}</p>}
                  </Show>
                </div>
              )}
            </For>
            <Show when={known().files.length > most}>
              <p>{t().revert.more({ files: known().files.length - most })}</p>
            </Show>
            <Show when={known().unknown.length > 0}>
              <div>
                <p class="call-hint">{t().revert.unknown}</p>
                <ul class="plain-list">
                  <For each={known().unknown}>
                    {(each) => (
                      <li>
                        <code>{visibleText(each)}</code>
                      </li>
                    )}
                  </For>
                </ul>
              </div>
            </Show>
            <Show when={hasConflicts()}>
              <label class="check">
                <input
                  type="checkbox"
                  checked={overwrite()}
                  onChange={(event) => setOverwrite(event.currentTarget.checked)}
                />
                {t().revert.overwrite}
              </label>
            </Show>
            <div class="buttons">
              <button type="button" class="button" onClick={() => props.onClose()}>
                {t().app.cancel}
              </button>
              <button
                type="button"
                class="button dangerous"
                disabled={chosen().length === 0}
                onClick={revert}
              >
                {t().revert.confirm}
              </button>
            </div>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
