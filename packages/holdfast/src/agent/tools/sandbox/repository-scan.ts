// This rule is for browser windows: postMessage of a worker thread has no target origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** A `.git` entry in a directory. */
export interface GitEntry {
  readonly path: string;
  readonly kind: "folder" | "file" | "link";
  /** Device and inode, which identify the repository: another inode at the same path is another repository. */
  readonly inode: string;
}

/** Maximum number of folders to scan in a directory, outermost first. */
const maxFolders = 20_000;
/** Number of directories for which the Git repositories found by the last scan are cached. */
const maxRemembered = 4;
/** Resolution of file timestamps in nanoseconds. A second change within this time may have the same timestamp. */
const clockStep = 50_000_000n;
const mark = "holdfast repository scan";

type Answer = { readonly id: number; readonly entries: readonly GitEntry[] };

interface Scanner {
  readonly worker: Worker;
  readonly waiting: Map<number, (entries: readonly GitEntry[]) => void>;
}

let scanner: Scanner | null = null;
let lastId = 0;

/**
 * Finds every `.git` in a directory, without following links. Runs in a worker thread, because it visits every folder.
 * A folder that has not changed since the last scan needs only one `lstat`.
 */
export function findRepositories(root: string): Promise<readonly GitEntry[]> {
  scanner ??= startScanner();
  const { worker, waiting } = scanner;
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    worker.ref();
    worker.once("error", reject);
    waiting.set(id, (entries) => {
      worker.off("error", reject);
      if (waiting.size === 0) worker.unref();
      resolve(entries);
    });
    worker.postMessage({ id, root });
  });
}

function startScanner(): Scanner {
  // The worker runs this same file, so the path stays correct when the build compiles it to JavaScript.
  const worker = new Worker(new URL(import.meta.url), { workerData: { mark } });
  const started: Scanner = { worker, waiting: new Map() };
  worker.setMaxListeners(0);
  worker.on("message", ({ id, entries }: Answer) => {
    const resolve = started.waiting.get(id);
    started.waiting.delete(id);
    resolve?.(entries);
  });
  worker.on("error", () => (scanner = null));
  return started;
}

if (!isMainThread && workerData?.mark === mark) serve();

interface Folder {
  readonly inode: bigint;
  readonly changed: bigint;
  /** True if the folder's timestamp is old enough that every later change will have another timestamp. */
  readonly isSettled: boolean;
  readonly folders: readonly string[];
  readonly hasGit: boolean;
}

function serve(): void {
  const remembered = new Map<string, ReadonlyMap<string, Folder>>();
  parentPort?.on("message", ({ id, root }: { id: number; root: string }) => {
    const before = remembered.get(root) ?? new Map<string, Folder>();
    const folders = new Map<string, Folder>();
    const entries: GitEntry[] = [];
    const queue = [root];
    for (const path of queue) {
      const folder = readFolder(path, before.get(path));
      if (folder === null) continue;
      folders.set(path, folder);
      if (folder.hasGit) entries.push(...entryAt(join(path, ".git")));
      for (const name of folder.folders) {
        if (queue.length < maxFolders) queue.push(join(path, name));
      }
    }
    remembered.delete(root);
    remembered.set(root, folders);
    for (const old of [...remembered.keys()].slice(0, -maxRemembered)) remembered.delete(old);
    parentPort?.postMessage({ id, entries } satisfies Answer);
  });
}

/** Reads a folder. Returns null if it does not exist or cannot be read. */
function readFolder(path: string, known: Folder | undefined): Folder | null {
  try {
    const now = BigInt(Date.now()) * 1_000_000n;
    const { ino: inode, ctimeNs: changed } = lstatSync(path, { bigint: true });
    if (known?.isSettled && known.inode === inode && known.changed === changed) return known;
    const entries = readdirSync(path, { withFileTypes: true });
    return {
      inode,
      changed,
      isSettled: changed + clockStep < now,
      folders: entries.flatMap((entry) =>
        entry.isDirectory() && entry.name !== ".git" ? [entry.name] : [],
      ),
      hasGit: entries.some(({ name }) => name === ".git"),
    };
  } catch {
    return null;
  }
}

function entryAt(path: string): GitEntry[] {
  try {
    const found = lstatSync(path, { bigint: true });
    const kind = found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "file";
    return [{ path, kind, inode: `${found.dev}:${found.ino}` }];
  } catch {
    return [];
  }
}
