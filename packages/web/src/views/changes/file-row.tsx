import type { WholeChange } from "@holdfast/sdk";
import { createEffect, createMemo, createSignal, Match, Show, Switch } from "solid-js";
import type { JSX } from "solid-js";
import { diffLines } from "@holdfast/model/diff-lines.ts";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import { mayPrompt } from "../../state/account.ts";
import { splitDiff } from "../../state/settings.ts";
import { showError } from "../../state/show-error.ts";
import { DiffTable } from "../../ui/diff-table.tsx";
import { DiffCounts } from "../../ui/diff-view.tsx";
import { Icon, IconButton } from "../../ui/icon.tsx";
import { sizeText } from "../session/attachment-view.tsx";
import type { ChangesState, FileChange } from "./changes-state.ts";
import { EditorLink } from "./editor-link.tsx";
import { createLineComments } from "./line-comments.tsx";

/** Number of lines of a diff that are shown at first. */
const firstLines = 400;
const moreContext = 25;
const wholeFile = 1_000_000;

/** Returns the path relative to the session's directory, or the absolute path of a file outside of it. */
function plainPath(path: string, directory: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

export function shownPath(path: string, directory: string): string {
  return visibleLine(plainPath(path, directory));
}

/** A changed file: its name, the kind of change, and its diff. */
export function FileRow(props: {
  state: ChangesState;
  file: FileChange;
  directory: string;
  /** Whether there is room for two columns of code. */
  isWide: boolean;
  onUndo: (() => void) | null;
}): JSX.Element {
  const isOpen = (): boolean => props.state.isOpen(props.file.path);
  const name = (): string => shownPath(props.file.path, props.directory);
  const folder = (): string => name().slice(0, name().lastIndexOf("/") + 1);
  return (
    <section class="change" data-status={props.file.status}>
      <header class="change-head">
        <button
          type="button"
          class="change-name"
          aria-expanded={isOpen()}
          onClick={() => props.state.setOpen(props.file.path, !isOpen())}
        >
          <Icon name={isOpen() ? "chevronDown" : "chevronRight"} size={12} />
          <span class={`change-status ${props.file.status}`}>
            {t().changes.status[props.file.status]}
          </span>
          <bdi class="change-path">
            <span class="path-above">{folder()}</span>
            {name().slice(folder().length)}
          </bdi>
          <Show when={props.file.added !== null && props.file.removed !== null}>
            <DiffCounts added={props.file.added ?? 0} removed={props.file.removed ?? 0} />
          </Show>
        </button>
        <Show when={props.onUndo}>
          {(undo) => (
            <IconButton
              icon="undo"
              label={t().changes.undoFile({ path: name() })}
              onClick={() => undo()()}
            />
          )}
        </Show>
      </header>
      <Show when={isOpen()}>
        <FileBody
          state={props.state}
          file={props.file}
          directory={props.directory}
          isWide={props.isWide}
        />
      </Show>
    </section>
  );
}

function FileBody(props: {
  state: ChangesState;
  file: FileChange;
  directory: string;
  isWide: boolean;
}): JSX.Element {
  const [change, setChange] = createSignal<WholeChange | null>(null);
  const [isLoading, setLoading] = createSignal(true);
  const comments = mayPrompt()
    ? createLineComments({
        sessionId: props.state.sessionId,
        file: props.file.path,
        path: () => plainPath(props.file.path, props.directory),
      })
    : undefined;
  const context = (): number => props.state.contextOf(props.file.path);
  createEffect(() => {
    // Each reload of the list creates new file objects, so this effect runs again and loads the diff again.
    const { path } = props.file;
    setLoading(true);
    props.state
      .diffOf(path, context())
      .then(
        // If the diff is the same as before, keep the old object, so that the rows keep their state.
        (found) => setChange((before) => (before?.diff === found.diff ? before : found)),
        (error: unknown) => showError(error),
      )
      .finally(() => setLoading(false));
  });
  const lines = createMemo(() => diffLines(change()?.diff ?? "").lines);
  const firstLine = createMemo(
    () => (lines().find(({ kind }) => kind === "add") ?? lines()[1])?.after ?? 1,
  );
  const isWhole = createMemo(
    () =>
      context() >= wholeFile || props.file.status === "created" || props.file.status === "deleted",
  );
  return (
    <div class="change-body diff">
      <Show when={props.file.from}>
        {(from) => (
          <p class="change-note">
            {t().changes.renamedFrom({ path: shownPath(from(), props.directory) })}
          </p>
        )}
      </Show>
      <Show when={props.file.others}>
        {(others) => <p class="change-note warn">{t().changes.others[others()]}</p>}
      </Show>
      <Show
        when={change()}
        fallback={<p class="change-note">{isLoading() ? t().app.loading : t().changes.failed}</p>}
      >
        {(known) => (
          <Switch
            fallback={
              <DiffTable
                lines={lines()}
                path={props.file.path}
                label={shownPath(props.file.path, props.directory)}
                isSplit={splitDiff() && props.isWide}
                first={firstLines}
                {...(comments === undefined ? {} : { notes: comments })}
              />
            }
          >
            <Match when={known().problem}>
              {(message) => (
                <p class="change-note">{t().changes.problem({ message: message() })}</p>
              )}
            </Match>
            <Match when={known().diff === null}>
              <p class="change-note">
                {t().changes.binary}{" "}
                {t().changes.sizes({
                  before: fileSize(known().sizes.before),
                  after: fileSize(known().sizes.after),
                })}
              </p>
            </Match>
            <Match when={lines().length === 0}>
              <p class="change-note">{t().changes.noDiff}</p>
            </Match>
          </Switch>
        )}
      </Show>
      <div class="change-foot">
        <Show when={props.file.status !== "deleted"}>
          <EditorLink
            place={{ path: props.file.path, directory: props.directory, line: firstLine() }}
          />
        </Show>
        <Show when={!isWhole() && lines().length > 0}>
          <Show when={context() < moreContext}>
            <button
              type="button"
              class="link-button"
              onClick={() => props.state.setContext(props.file.path, moreContext)}
            >
              {t().changes.moreContext}
            </button>
          </Show>
          <button
            type="button"
            class="link-button"
            onClick={() => props.state.setContext(props.file.path, wholeFile)}
          >
            {t().changes.wholeFile}
          </button>
        </Show>
      </div>
    </div>
  );
}

function fileSize(bytes: number | null): string {
  return bytes === null ? t().changes.noFile : sizeText(bytes);
}
