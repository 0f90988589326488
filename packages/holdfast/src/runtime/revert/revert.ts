import { unlink } from "node:fs/promises";
import { relative } from "node:path";
import { putFile, readWhole } from "../../agent/tools/files.ts";
import type { FileContent } from "../../agent/tools/files.ts";
import { showDiff } from "../../agent/tools/show-diff.ts";
import type { StoreReader } from "../../store/store.ts";
import { asText, inTurns, maxBytes, readNow } from "../changes/file-content.ts";
import { readChanges } from "../changes/file-history.ts";
import type { FileHistory } from "../changes/file-history.ts";

/** The effect of undoing a run, if it were done now. */
export interface RevertPlan {
  /** Files that differ from their content before the run, in order of their first change. */
  readonly files: readonly RevertedFile[];
  /** Summaries of the run's actions whose file changes are not recorded. */
  readonly unknown: readonly string[];
  /** Sessions that the run started in the background. Their runs must be undone separately. */
  readonly background: readonly string[];
}

/** A file that the run changed: its content before the first change, and its content now. */
export interface RevertedFile {
  readonly path: string;
  /** Content to restore. Null if the run created the file: undoing removes it. */
  readonly before: Uint8Array | null;
  readonly now: FileContent | null;
  /** Set if a person or another program has changed the file too: undoing would also undo that change. */
  readonly conflict: string | null;
  /** A unified diff from the current to the restored content, or a description if no diff is possible. */
  readonly diff: string;
}

/** Result of `applyRevert`, which stops at the first file that it cannot restore. */
export interface RevertResult {
  readonly done: readonly string[];
  readonly problem: { readonly path: string; readonly message: string } | null;
}

/** Plans how to undo a run and the children that it waited for. Changes nothing. */
export async function planRevert(
  store: StoreReader,
  target: { sessionId: string; runId: string },
): Promise<RevertPlan> {
  const lane = await store.lane(target.sessionId);
  const root = lane?.directory ?? "/";
  const { files, actions, background } = await readChanges(store, target);
  const found = await inTurns([...files], ([path, history]) =>
    compare(store, { path, history, root }),
  );
  const unknown = actions.map(({ summary }) => summary);
  return { files: found.filter((file) => file !== null), unknown, background };
}

/** Restores the files. Each file is replaced completely, and only if it has not changed since the plan was made. */
export async function applyRevert(
  files: readonly RevertedFile[],
  signal?: AbortSignal,
): Promise<RevertResult> {
  const done: string[] = [];
  for (const { path, before, now } of files) {
    try {
      signal?.throwIfAborted();
      if (before !== null) await putFile({ path, bytes: before, before: now });
      else await removeFile(path, now);
      done.push(path);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { done, problem: { path, message } };
    }
  }
  return { done, problem: null };
}

/** Compares a file with its content before the run. Returns null if the content is the same. */
async function compare(
  store: StoreReader,
  options: { path: string; history: FileHistory; root: string },
): Promise<RevertedFile | null> {
  const { path, history, root } = options;
  const before = history.before === null ? null : await store.body(history.before);
  if (before === null && history.before !== null) {
    throw new Error(`the old content of ${path} is not in the store`);
  }
  const { now, trouble } = await readNow(path);
  if (trouble === null && (now?.hash ?? null) === history.before) return null;
  const changedSince =
    (now?.hash ?? null) === history.left ? null : "the file was changed after the run";
  const changedDuring = history.isMixed
    ? "something else, such as a command, also changed the file during the run"
    : null;
  const conflict = trouble ?? changedDuring ?? changedSince;
  const diff = trouble ?? diffOf({ path: relative(root, path), before, now });
  return { path, before, now, conflict, diff };
}

function diffOf(change: {
  path: string;
  before: Uint8Array | null;
  now: FileContent | null;
}): string {
  const { path, before, now } = change;
  if (before === null) return `removes ${path}, which the run made`;
  const after = asText(before);
  const from = now === null ? null : asText(now.bytes);
  if (after === null || (now !== null && from === null)) {
    return `puts back the ${before.length} bytes of ${path}, which is no text`;
  }
  return showDiff({ path, before: from, after });
}

async function removeFile(path: string, planned: FileContent | null): Promise<void> {
  const now = await readWhole(path, maxBytes);
  if (now?.hash !== planned?.hash)
    throw new Error("the file was changed after the undo was planned; start the undo again");
  if (now !== null) await unlink(path);
}
