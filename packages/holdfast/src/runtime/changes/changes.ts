import { relative } from "node:path";
import { makeDiff } from "../../agent/tools/show-diff.ts";
import type { Diff } from "../../agent/tools/show-diff.ts";
import type { StoreReader } from "../../store/store.ts";
import { commandFiles } from "./command-files.ts";
import { asText, inTurns, readNow } from "./file-content.ts";
import { readChanges } from "./file-history.ts";
import type { Action, ChangeScope, FileHistory } from "./file-history.ts";

/** The files that a session or run has changed. */
export interface Changes {
  /** Changed files, in order of their first change. */
  readonly files: readonly FileChange[];
  /** Number of changed files that are missing from `files` because there are too many. */
  readonly omitted: number;
  readonly commands: readonly CommandChanges[];
  /** Background sessions that this session or run has started. Each background session has its own list of changes. */
  readonly background: readonly string[];
}

export interface FileChange {
  /** Path without symbolic links. */
  readonly path: string;
  readonly status: "created" | "changed" | "deleted" | "renamed";
  /** Path before the file was renamed; null if it was not renamed. */
  readonly from: string | null;
  /** Runs that changed the file, in order. */
  readonly runIds: readonly string[];
  /** Number of added lines. Null if the file is not text, or if counting the lines of all files would take too long. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
  /**
   * Set if a person or another program changed the file too: between the changes of the runs (`during`), or later
   * (`since`).
   */
  readonly others: "during" | "since" | null;
  /** Reason why the file cannot be read now. */
  readonly problem: string | null;
}

/** A command or another action whose file changes are not recorded. */
export interface CommandChanges extends Pick<Action, "runId" | "callId" | "summary"> {
  readonly at: number;
  /** Paths of files whose last change was made while the action was in progress. */
  readonly files: readonly string[];
}

export interface WholeChange extends FileChange {
  /** A unified diff. Null if the content is not text or cannot be read. */
  readonly diff: string | null;
  /** Sizes in bytes before and after the change; null if there is no file. */
  readonly sizes: { readonly before: number | null; readonly after: number | null };
}

const maxFiles = 10_000;
/** Maximum milliseconds for counting lines. After that, files are listed without counts. */
const countTime = 4_000;

/** Lists the files that differ from their content before the session or run. */
export async function listChanges(store: StoreReader, scope: ChangeScope): Promise<Changes> {
  const lane = await store.lane(scope.sessionId);
  const directory = lane?.directory ?? "/";
  const record = await readChanges(store, scope);
  const listed = [...record.files].slice(0, maxFiles);
  const deadline = Date.now() + countTime;
  const found = await inTurns(listed, async ([path, history]) => {
    const file = await compare(store, { path, history, scope });
    return file === null ? null : describe(file, { mayCount: Date.now() < deadline });
  });
  const files = joinRenamed(
    found.filter((file) => file !== null),
    record.files,
  );
  const commands = await commandFiles(record, directory);
  const omitted = record.files.size - listed.length;
  return { files, omitted, commands, background: record.background };
}

/** Returns the complete change of one file; null if the session or run did not change the file. */
export async function showChange(
  store: StoreReader,
  target: ChangeScope & { path: string; context: number },
): Promise<WholeChange | null> {
  const { path, context } = target;
  const lane = await store.lane(target.sessionId);
  const { files } = await readChanges(store, target);
  const history = files.get(path);
  if (history === undefined) return null;
  const own = await compare(store, { path, history, scope: target });
  if (own === null) return null;
  const from = await oldPath(files, { path, history });
  const first = from === null ? null : (files.get(from)?.before ?? null);
  const file = first === null ? own : { ...own, from, before: await store.body(first) };
  const diff = diffOf(file, { path: relative(lane?.directory ?? "/", path), context });
  return {
    ...describe(file, { mayCount: false }),
    ...(diff === null ? {} : { added: diff.added, removed: diff.removed }),
    diff: diff?.text ?? null,
    sizes: { before: file.before?.length ?? null, after: file.after?.length ?? null },
  };
}

/** A changed file with its content before and after. */
interface ComparedFile {
  readonly path: string;
  readonly from: string | null;
  readonly history: FileHistory;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  readonly others: FileChange["others"];
  readonly problem: string | null;
}

/** Compares a file with its content before the session or run. Returns null if the content is the same. */
async function compare(
  store: StoreReader,
  options: { path: string; history: FileHistory; scope: ChangeScope },
): Promise<ComparedFile | null> {
  const { path, history, scope } = options;
  const { now, trouble } = await readNow(path);
  if (trouble === null && (now?.hash ?? null) === history.before) return null;
  const isLeft = trouble === null && (now?.hash ?? null) === history.left;
  const before = history.before === null ? null : await store.body(history.before);
  // If a later run changed the file, take the content after this run from the store.
  const left =
    isLeft || scope.runId === null || history.left === null ? null : await store.body(history.left);
  const others = history.isMixed ? "during" : isLeft ? null : "since";
  const problem = left === null ? trouble : null;
  const after = left ?? now?.bytes ?? null;
  return { path, from: null, history, before, after, others, problem };
}

function describe(file: ComparedFile, { mayCount }: { mayCount: boolean }): FileChange {
  const { path, from, history, before, after, others, problem } = file;
  const isText = [before, after].every((bytes) => bytes === null || asText(bytes) !== null);
  const known = others === null && from === null ? history.lines : null;
  const lines = known ?? (mayCount ? diffOf(file, { path }) : null);
  return {
    path,
    status: statusOf(file),
    from,
    runIds: history.runIds,
    added: lines?.added ?? null,
    removed: lines?.removed ?? null,
    binary: !isText,
    others,
    problem,
  };
}

function statusOf({ from, before, after, problem }: ComparedFile): FileChange["status"] {
  if (from !== null) return "renamed";
  if (before === null) return "created";
  return after === null && problem === null ? "deleted" : "changed";
}

function diffOf(
  { before, after, problem }: ComparedFile,
  options: { path: string; context?: number },
): Diff | null {
  const old = before === null ? null : asText(before);
  const text = after === null ? "" : asText(after);
  if (problem !== null || text === null || (before !== null && old === null)) return null;
  return makeDiff({ ...options, before: old, after: text });
}

/** Replaces a deleted file and a created file with the same content by one renamed file. */
function joinRenamed(
  files: readonly FileChange[],
  histories: ReadonlyMap<string, FileHistory>,
): readonly FileChange[] {
  const gone = new Map<string, FileChange>();
  for (const file of files) {
    const left = histories.get(file.path)?.left ?? null;
    if (file.status === "deleted" && left !== null) gone.set(left, file);
  }
  if (gone.size === 0) return files;
  const joined = new Set<FileChange>();
  const renamed = files.map((file): FileChange => {
    const left = file.status === "created" ? (histories.get(file.path)?.left ?? null) : null;
    const old = left === null ? undefined : gone.get(left);
    if (old === undefined || joined.has(old)) return file;
    joined.add(old);
    const isSame = histories.get(old.path)?.before === left && file.others === null;
    const lines = isSame ? { added: 0, removed: 0 } : { added: null, removed: null };
    const runIds = [...new Set([...old.runIds, ...file.runIds])];
    return { ...file, ...lines, status: "renamed", from: old.path, runIds };
  });
  return renamed.filter((file) => !joined.has(file));
}

/** Returns the path of a deleted file that had the same content as the created file; null if there is none. */
async function oldPath(
  files: ReadonlyMap<string, FileHistory>,
  { path, history }: { path: string; history: FileHistory },
): Promise<string | null> {
  if (history.before !== null || history.left === null) return null;
  for (const [each, other] of files) {
    if (each === path || other.before === null || other.left !== history.left) continue;
    const { now, trouble } = await readNow(each);
    if (now === null && trouble === null) return each;
  }
  return null;
}
