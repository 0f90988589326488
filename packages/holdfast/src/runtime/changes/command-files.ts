import { lstat } from "node:fs/promises";
import { walk } from "../../agent/tools/walk.ts";
import type { CommandChanges } from "./changes.ts";
import type { Action, ChangeRecord } from "./file-history.ts";

const maxActions = 1_000;
const maxFilesPerAction = 1_000;
/** Maximum milliseconds for searching the directory, because a person waits for the list. */
const walkTime = 2_000;
/** Milliseconds by which the time stamp of a file may lag behind the clock. */
const clockStep = 20;

/**
 * Lists commands and other actions whose file changes are not recorded. For each action, lists the files of the
 * directory whose last change was made while the action was in progress. Files that .gitignore excludes are left out.
 */
export async function commandFiles(
  record: ChangeRecord,
  directory: string,
): Promise<readonly CommandChanges[]> {
  const actions = record.actions.slice(-maxActions);
  const [first] = actions;
  if (first === undefined) return [];
  const found = new Map<Action, string[]>();
  const signal = AbortSignal.timeout(walkTime);
  try {
    const options = { start: directory, directory, everything: false, hidden: [], signal };
    for await (const { path, kind } of walk(options)) {
      if (kind !== "file" || record.files.has(path)) continue;
      const at = await changeTime(path);
      if (at === null || at < first.startedAt - clockStep) continue;
      const action = actions.findLast((each) => isDuring(each, at));
      if (action === undefined) continue;
      const files = found.get(action) ?? [];
      if (files.length < maxFilesPerAction) files.push(path);
      found.set(action, files);
    }
  } catch (error) {
    // After `walkTime` the search is aborted. The list then contains only the files found so far.
    if (!signal.aborted) throw error;
  }
  return actions.map((action) => {
    const { runId, callId, summary, startedAt } = action;
    return { runId, callId, summary, at: startedAt, files: found.get(action) ?? [] };
  });
}

/**
 * Returns the time of the last change of content, name or mode, in whole milliseconds like the times of events. Unlike
 * the modification time, programs cannot set it.
 */
async function changeTime(path: string): Promise<number | null> {
  try {
    return Math.floor((await lstat(path)).ctimeMs);
  } catch {
    return null;
  }
}

function isDuring({ startedAt, endedAt }: Action, at: number): boolean {
  return at >= startedAt - clockStep && at <= (endedAt ?? Infinity);
}
