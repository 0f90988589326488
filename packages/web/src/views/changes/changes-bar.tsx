import { createMemo, createResource, For, Show } from "solid-js";
import type { JSX } from "solid-js";
import { visibleLine } from "@holdfast/model/visible-text.ts";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { go } from "../../state/router.ts";
import { changeSettings, splitDiff } from "../../state/settings.ts";
import { DiffCounts } from "../../ui/diff-view.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { ChangesState } from "./changes-state.ts";

/** Maximum number of prompts that are read to find the names of runs. */
const maxPrompts = 1_000;
const longestName = 60;

/** The bar above the file changes: choice of the run, counts, and choice of the view. */
export function ChangesBar(props: {
  state: ChangesState;
  /** Whether there is room for two columns of code. */
  isWide: boolean;
  mayUndo: boolean;
  onUndoRun: () => void;
}): JSX.Element {
  const { state } = props;
  const [runs] = createResource(() => state.sessionId, namedRuns, { initialValue: [] });
  const choices = createMemo(() => {
    const chosen = state.runId();
    const known = runs.latest;
    return chosen === null || known.some(({ runId }) => runId === chosen)
      ? known
      : [...known, { runId: chosen, text: chosen }];
  });
  const sum = (count: (file: { added: number | null; removed: number | null }) => number | null) =>
    (state.changes()?.files ?? []).reduce((all, file) => all + (count(file) ?? 0), 0);
  /** True if the sums leave out lines: of files that are not listed, or that the server had no time to count. */
  const isPartial = (): boolean => {
    const { files, omitted } = state.changes() ?? { files: [], omitted: 0 };
    return omitted > 0 || files.some(({ added, binary }) => added === null && !binary);
  };
  const choose = (runId: string): void =>
    go({ page: "changes", sessionId: state.sessionId, runId: runId === "" ? null : runId });
  return (
    <div class="changes-bar">
      <select
        aria-label={t().changes.scope}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="" selected={state.runId() === null}>
          {t().changes.wholeSession}
        </option>
        <For each={choices()}>
          {({ runId, text }) => (
            <option value={runId} selected={state.runId() === runId}>
              {t().changes.run({ text: visibleLine(text) })}
            </option>
          )}
        </For>
      </select>
      <Show when={state.changes()}>
        {(changes) => (
          <span class="changes-sum">
            {t().changes.files({ files: changes().files.length + changes().omitted })}
            <Show when={isPartial()}>
              <span class="quiet" title={t().changes.partial}>
                {t().changes.atLeast}
              </span>
            </Show>
            <DiffCounts added={sum(({ added }) => added)} removed={sum(({ removed }) => removed)} />
          </span>
        )}
      </Show>
      <Show when={props.isWide}>
        <div class="segments" role="group" aria-label={t().changes.view}>
          <For each={[false, true]}>
            {(isSplit) => (
              <label class="segment" classList={{ chosen: splitDiff() === isSplit }}>
                <input
                  type="radio"
                  name="diff-view"
                  checked={splitDiff() === isSplit}
                  onChange={() => changeSettings({ splitDiff: isSplit })}
                />
                {isSplit ? t().changes.split : t().changes.unified}
              </label>
            )}
          </For>
        </div>
      </Show>
      <Show
        when={props.mayUndo && state.runId() !== null && (state.changes()?.files.length ?? 0) > 0}
      >
        <button type="button" class="button small" onClick={() => props.onUndoRun()}>
          <Icon name="undo" size={14} />
          {t().changes.undoRun}
        </button>
      </Show>
    </div>
  );
}

/** Returns the runs of a session, latest first, each with the text of the prompt that started it. */
async function namedRuns(
  sessionId: string,
): Promise<readonly { readonly runId: string; readonly text: string }[]> {
  const runs = new Map<string, string>();
  try {
    let count = 0;
    for await (const { runId, text } of holdfast.session(sessionId).eachPrompt({ limit: 500 })) {
      if (runId !== null && !runs.has(runId)) runs.set(runId, nameOf(text ?? runId));
      count += 1;
      if (count === maxPrompts) break;
    }
  } catch {
    // Ignore the error: without names of runs, the changes of the whole session are still shown.
  }
  return [...runs].map(([runId, text]) => ({ runId, text })).toReversed();
}

function nameOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > longestName ? `${line.slice(0, longestName)}…` : line;
}
