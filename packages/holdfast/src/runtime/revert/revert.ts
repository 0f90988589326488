import { unlink } from "node:fs/promises";
import { relative } from "node:path";
import type { IntentBody, ToolBody } from "../../agent/message.ts";
import { putFile, readWhole } from "../../agent/tools/files.ts";
import type { FileContent } from "../../agent/tools/files.ts";
import { showDiff } from "../../agent/tools/show-diff.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import type { StoreReader } from "../../store/store.ts";
import { readBody } from "../../log/bodies.ts";
import { logOf } from "../../log/session-log.ts";
import { findRun } from "../views/runs.ts";

/** The effect that undoing a run would have. */
export interface RevertPlan {
  /** Files that differ from their content before the run, in order of their first change. */
  readonly files: readonly RevertedFile[];
  /** Summaries of the run's actions for which it is unknown which files they changed. */
  readonly unknown: readonly string[];
  /** Background sessions that the run started: their runs are undone separately. */
  readonly background: readonly string[];
}

/** A file that the run changed: its content before the first change, and its content now. */
export interface RevertedFile {
  readonly path: string;
  /** Null if the run created the file: undoing removes it. */
  readonly before: Uint8Array | null;
  readonly now: FileContent | null;
  /** Set if somebody else has changed the file too: undoing would also undo that change. */
  readonly conflict: string | null;
  /** A unified diff from the current to the restored content, or a description if no diff is possible. */
  readonly diff: string;
}

/** Result of `applyRevert`, which stops at the first file that it cannot restore. */
export interface RevertResult {
  readonly done: readonly string[];
  readonly problem: { readonly path: string; readonly message: string } | null;
}

const maxBytes = 1 << 28;

/** Plans to undo a run and the children that it waited for; changes nothing. */
export async function planRevert(
  store: StoreReader,
  target: { sessionId: string; runId: string },
): Promise<RevertPlan> {
  const lane = await store.lane(target.sessionId);
  const root = lane?.directory ?? "/";
  const { events, background } = await runEvents(store, target);
  const { histories, unknown } = await readHistories(store, events);
  const found = await Promise.all(
    [...histories].map(([path, history]) => compare(store, { path, history, root })),
  );
  return { files: found.filter((file) => file !== null), unknown, background };
}

/** Restores the files. Each is replaced completely, and only if it is unchanged since the plan. */
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

/** Changes of a run to one file, by content hashes. */
interface FileHistory {
  /** Null if there was no file. */
  readonly before: string | null;
  /** Content after the run's last change; null if unknown. */
  left: string | null;
  conflict: string | null;
}

async function readHistories(
  store: StoreReader,
  events: readonly LaneEvent[],
): Promise<{ histories: ReadonlyMap<string, FileHistory>; unknown: readonly string[] }> {
  const histories = new Map<string, FileHistory>();
  const unknown: string[] = [];
  const changing = new Map<string, readonly string[]>();
  for (const event of events) {
    if (event.type === "tool.started") {
      const intent = await readBody<IntentBody>(store, event.body);
      const files = intent?.files ?? [];
      changing.set(
        event.callId,
        files.map(({ path }) => path),
      );
      if (files.length === 0 && intent !== null) unknown.push(intent.summary);
      for (const { path, before } of files) begin(histories, { path, before });
    }
    if (event.type === "tool.ended" && event.status !== "inDoubt") {
      const body = await readBody<ToolBody>(store, event.body);
      // Use only files that the call changes. A read also records a hash, but the call did not write that content.
      const own = changing.get(event.callId) ?? [];
      for (const { path, hash } of seenOf(body?.extra)) {
        const history = own.includes(path) ? histories.get(path) : undefined;
        if (history !== undefined) history.left = hash;
      }
    }
  }
  return { histories, unknown };
}

function begin(
  histories: Map<string, FileHistory>,
  change: { path: string; before: string | null },
): void {
  const { path, before } = change;
  const known = histories.get(path);
  if (known === undefined) {
    histories.set(path, { before, left: before, conflict: null });
  } else if (known.left !== before) {
    known.conflict = "it was also changed in another way during the run";
  }
}

/** Returns null if the file has the same content as before the run. */
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
  const changedSince = (now?.hash ?? null) === history.left ? null : "it was changed since";
  const conflict = trouble ?? history.conflict ?? changedSince;
  const diff = trouble ?? diffOf({ path: relative(root, path), before, now });
  return { path, before, now, conflict, diff };
}

async function readNow(path: string): Promise<{ now: FileContent | null; trouble: string | null }> {
  try {
    return { now: await readWhole(path, maxBytes), trouble: null };
  } catch (error) {
    return { now: null, trouble: error instanceof Error ? error.message : String(error) };
  }
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

function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function removeFile(path: string, planned: FileContent | null): Promise<void> {
  const now = await readWhole(path, maxBytes);
  if (now?.hash !== planned?.hash)
    throw new Error("the file was changed after the undo was planned; start the undo again");
  if (now !== null) await unlink(path);
}

/** Reads a tool's record of files that it saw or wrote. Other tools store other data there. */
function seenOf(extra: unknown): { path: string; hash: string }[] {
  if (typeof extra !== "object" || extra === null || !("seen" in extra)) return [];
  if (!Array.isArray(extra.seen)) return [];
  return extra.seen.flatMap((item: unknown) =>
    typeof item === "object" &&
    item !== null &&
    "path" in item &&
    "hash" in item &&
    typeof item.path === "string" &&
    typeof item.hash === "string"
      ? [{ path: item.path, hash: item.hash }]
      : [],
  );
}

/** Lists the events of a run and of the children that it waited for, in order of time. */
async function runEvents(
  store: StoreReader,
  target: { sessionId: string; runId: string },
): Promise<{ events: readonly LaneEvent[]; background: readonly string[] }> {
  const all: LaneEvent[] = [];
  const background: string[] = [];
  const gather = async (sessionId: string, runId: string): Promise<void> => {
    const start = await findRun(store, { sessionId, runId });
    if (start === null) return;
    for await (const event of logOf(store, sessionId, { after: start.seq - 1 })) {
      if (!("runId" in event) || event.runId !== runId) continue;
      all.push(event);
      if (event.type !== "child.linked") continue;
      if (event.background) background.push(event.childSessionId);
      else {
        const row = await store.prompt(event.childSessionId, event.childPromptId);
        const childRun = row?.runId ?? null;
        if (childRun !== null) await gather(event.childSessionId, childRun);
      }
    }
  };
  await gather(target.sessionId, target.runId);
  // The sort is stable: events with the same time stay in log order.
  return { events: all.toSorted((left, right) => left.at - right.at), background };
}
