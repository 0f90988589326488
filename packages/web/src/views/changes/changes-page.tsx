import { createMemo, createSignal, For, Match, onCleanup, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { mayDecide, mayPrompt } from "../../state/account.ts";
import { commentsOf } from "../../state/comments.ts";
import { currentRoute, go } from "../../state/router.ts";
import { detailOf, refreshSession, sessions, watchDetail } from "../../state/sessions.ts";
import { shownTitle } from "../../state/shown-title.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { Composer } from "../composer/composer.tsx";
import { Link } from "../link.tsx";
import { RevertDialog } from "../session/revert-dialog.tsx";
import { SessionHead } from "../session/session-head.tsx";
import { ChangesBar } from "./changes-bar.tsx";
import { createChanges } from "./changes-state.ts";
import type { FileChange } from "./changes-state.ts";
import { CommandRow } from "./command-row.tsx";
import { FileRow } from "./file-row.tsx";
import { UndoFileDialog } from "./undo-file-dialog.tsx";
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet exports nothing
import "../../styles/changes.css";

/** Minimum width of the page in pixels for two columns of code. The list of sessions may be beside the page. */
const splitWidth = 680;

/** All files that a session, or one of its runs, has changed. */
export function ChangesPage(props: { sessionId: string; onMenu: () => void }): JSX.Element {
  const runId = (): string | null => {
    const route = currentRoute();
    return route.page === "changes" ? route.runId : null;
  };
  const state = createChanges(props.sessionId, createMemo(runId));
  onCleanup(watchDetail(props.sessionId));
  refreshSession(props.sessionId);
  const session = () => detailOf(props.sessionId) ?? sessions[props.sessionId] ?? null;
  const directory = (): string => session()?.directory ?? "/";
  const [isWide, setWide] = createSignal(false);
  const watchWidth = (page: HTMLElement): void => {
    const observer = new ResizeObserver(() => setWide(page.clientWidth >= splitWidth));
    observer.observe(page);
    onCleanup(() => observer.disconnect());
  };
  const [undoing, setUndoing] = createSignal<FileChange | null>(null);
  const [isRunUndone, setRunUndone] = createSignal(false);
  const files = createMemo(
    () => new Map((state.changes()?.files ?? []).map((file) => [`file:${file.path}`, file])),
  );
  const commands = createMemo(
    () =>
      new Map((state.changes()?.commands ?? []).map((each) => [`command:${each.callId}`, each])),
  );
  const ids = createMemo(() => [
    ...files().keys(),
    ...(commands().size === 0 ? [] : ["commands"]),
    ...commands().keys(),
  ]);
  return (
    <section class="page changes-page" ref={watchWidth}>
      <SessionHead sessionId={props.sessionId} onMenu={() => props.onMenu()} />
      <ChangesBar
        state={state}
        isWide={isWide()}
        mayUndo={mayDecide()}
        onUndoRun={() => setRunUndone(true)}
      />
      <Switch fallback={<p class="page-message">{t().app.loading}</p>}>
        <Match when={state.changes() === null && state.hasFailed()}>
          <div class="page-message">
            <p>{t().changes.failed}</p>
            <button type="button" class="button" onClick={() => state.reload()}>
              {t().changes.retry}
            </button>
          </div>
        </Match>
        <Match when={state.changes() !== null && ids().length === 0}>
          <p class="page-message">{t().changes.none}</p>
        </Match>
        <Match when={state.changes()}>
          {(changes) => (
            <VirtualList
              ids={ids()}
              label={t().changes.label}
              kind="list"
              estimate={42}
              class="virtual-list"
              rowClass="changes-row"
              row={(id) => (
                <Switch>
                  <Match when={files().get(id)}>
                    {(file) => (
                      <FileRow
                        state={state}
                        file={file()}
                        directory={directory()}
                        isWide={isWide()}
                        onUndo={mayDecide() ? () => setUndoing(file()) : null}
                      />
                    )}
                  </Match>
                  <Match when={commands().get(id)}>
                    {(command) => <CommandRow command={command()} directory={directory()} />}
                  </Match>
                  <Match when={id === "commands"}>
                    <div class="changes-heading">
                      <h2>{t().changes.commands}</h2>
                      <p>{t().changes.commandsHint}</p>
                    </div>
                  </Match>
                </Switch>
              )}
              foot={
                <div class="changes-foot">
                  <Show when={changes().omitted > 0}>
                    <p>{t().changes.omitted({ files: changes().omitted })}</p>
                  </Show>
                  <Show when={changes().background.length > 0}>
                    <p>{t().changes.background}</p>
                    <ul class="plain-list">
                      <For each={changes().background}>
                        {(sessionId) => (
                          <li>
                            <Link to={{ page: "changes", sessionId, runId: null }}>
                              {shownTitle(sessions[sessionId], sessionId)}
                            </Link>
                          </li>
                        )}
                      </For>
                    </ul>
                  </Show>
                </div>
              }
            />
          )}
        </Match>
      </Switch>
      <Show when={mayPrompt() && commentsOf(props.sessionId).length > 0}>
        <div class="dock">
          <Composer
            sessionId={props.sessionId}
            onSent={() => go({ page: "session", sessionId: props.sessionId })}
          />
        </div>
      </Show>
      <Show when={undoing()} keyed>
        {(file) => (
          <UndoFileDialog
            state={state}
            file={file}
            directory={directory()}
            isBusy={session()?.runId !== null}
            onClose={() => setUndoing(null)}
          />
        )}
      </Show>
      <Show when={isRunUndone() ? runId() : null}>
        {(id) => (
          <RevertDialog
            sessionId={props.sessionId}
            runId={id()}
            onClose={() => setRunUndone(false)}
          />
        )}
      </Show>
    </section>
  );
}
