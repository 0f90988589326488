import type { IntentBody, ToolBody } from "../../agent/message.ts";
import type { EventOf } from "../../kernel/event.ts";
import { readBody } from "../../log/bodies.ts";
import { logOf } from "../../log/session-log.ts";
import type { StoreReader } from "../../store/store.ts";
import { findRun } from "../views/runs.ts";

/** A session, or one of its runs. */
export interface ChangeScope {
  readonly sessionId: string;
  readonly runId: string | null;
}

/** All recorded file changes of a session or run. */
export interface ChangeRecord {
  /** Changed files by path, in order of their first change. */
  readonly files: ReadonlyMap<string, FileHistory>;
  /** Actions whose file changes are not recorded, such as shell commands. */
  readonly actions: readonly Action[];
  /** Ids of the sessions that this session or run started in the background. */
  readonly background: readonly string[];
}

/** Changes to one file. Contents are given as hashes. */
export interface FileHistory {
  /** Content before the first change; null if there was no file. */
  readonly before: string | null;
  /** Content after the last change; null if unknown. */
  left: string | null;
  /** True if a person or another program changed the file between two recorded changes. */
  isMixed: boolean;
  /** Runs of the session that changed the file, directly or through a child, in order. */
  readonly runIds: string[];
  /** Added and removed lines if the file was changed only once; otherwise null. */
  lines: { readonly added: number; readonly removed: number } | null;
  changes: number;
}

export interface Action {
  readonly runId: string;
  readonly callId: string;
  readonly summary: string;
  readonly startedAt: number;
  /** Null while the action is in progress. */
  endedAt: number | null;
}

/** Reads the file changes of a session or run, and of the children that it waited for. */
export async function readChanges(store: StoreReader, scope: ChangeScope): Promise<ChangeRecord> {
  const { events, background } = await changeEvents(store, scope);
  const files = new Map<string, FileHistory>();
  const actions = new Map<string, Action>();
  const changing = new Map<string, readonly string[]>();
  for (const { event, runId } of events) {
    const { callId } = event;
    if (event.type === "tool.started") {
      const intent = await readBody<IntentBody>(store, event.body);
      if (intent === null) continue;
      const { summary } = intent;
      changing.set(
        callId,
        intent.files.map(({ path }) => path),
      );
      if (intent.files.length === 0) {
        actions.set(callId, { runId, callId, summary, startedAt: event.at, endedAt: null });
      }
      for (const { path, before } of intent.files) begin(files, { path, before, runId });
    } else {
      const action = actions.get(callId);
      if (action !== undefined) action.endedAt = event.at;
      if (event.status === "inDoubt") continue;
      const body = await readBody<ToolBody>(store, event.body);
      // Use only the hashes of files that this call changed. The result also has hashes of files that the call only
      // read.
      const own = changing.get(callId) ?? [];
      for (const { path, hash } of seenOf(body?.extra)) {
        const history = own.includes(path) ? files.get(path) : undefined;
        if (history === undefined) continue;
        history.left = hash;
        const isOnly = history.changes === 1 && own.length === 1;
        history.lines = isOnly ? linesOf(body?.extra) : null;
      }
    }
  }
  return { files, actions: [...actions.values()], background };
}

function begin(
  files: Map<string, FileHistory>,
  change: { path: string; before: string | null; runId: string },
): void {
  const { path, before, runId } = change;
  const known = files.get(path);
  if (known === undefined) {
    const history = { before, left: before, isMixed: false, runIds: [runId] };
    files.set(path, { ...history, lines: null, changes: 1 });
    return;
  }
  if (known.left !== before) known.isMixed = true;
  if (!known.runIds.includes(runId)) known.runIds.push(runId);
  known.changes += 1;
  known.lines = null;
}

/** Returns the files that a tool read or wrote, from its `extra` data. Some tools store other data there. */
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

function linesOf(extra: unknown): FileHistory["lines"] {
  if (typeof extra !== "object" || extra === null || !("change" in extra)) return null;
  const { change } = extra;
  if (typeof change !== "object" || change === null) return null;
  if (!("added" in change) || !("removed" in change)) return null;
  const { added, removed } = change;
  return typeof added === "number" && typeof removed === "number" ? { added, removed } : null;
}

interface ChangeEvent {
  readonly event: EventOf<"tool.started" | "tool.ended">;
  /**
   * Id of a run of the session whose file changes are listed. `event` belongs to this run, or to a child session that
   * the run started.
   */
  readonly runId: string;
}

/** Lists the tool events of a session or run, and of the children that it waited for, in order of time. */
async function changeEvents(
  store: StoreReader,
  scope: ChangeScope,
): Promise<{ events: readonly ChangeEvent[]; background: readonly string[] }> {
  const all: ChangeEvent[] = [];
  const background: string[] = [];
  const gather = async (from: ChangeScope, top: string | null): Promise<void> => {
    const { sessionId, runId } = from;
    const start = runId === null ? null : await findRun(store, { sessionId, runId });
    if (runId !== null && start === null) return;
    const types = ["tool.started", "tool.ended", "child.linked"] as const;
    for await (const event of logOf(store, sessionId, { after: (start?.seq ?? 1) - 1, types })) {
      if (runId !== null && event.runId !== runId) continue;
      const cause = top ?? event.runId;
      if (event.type !== "child.linked") all.push({ event, runId: cause });
      else if (event.background) background.push(event.childSessionId);
      else {
        const row = await store.prompt(event.childSessionId, event.childPromptId);
        const childRun = row?.runId ?? null;
        if (childRun !== null) {
          await gather({ sessionId: event.childSessionId, runId: childRun }, cause);
        }
      }
    }
  };
  await gather(scope, scope.runId);
  // The sort is stable: events with the same time stay in log order.
  const events = all.toSorted((left, right) => left.event.at - right.event.at);
  return { events, background };
}
