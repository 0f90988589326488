// A thread has no origin.
/* oxlint-disable unicorn/require-post-message-target-origin */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** A `.git` somewhere in a directory. */
export interface GitEntry {
  readonly path: string;
  readonly kind: "folder" | "file" | "link";
  /** Its device and inode: another one at the same path is another repository. */
  readonly inode: string;
}

/** Folders of one directory that are looked at, those near the top first. */
const maxFolders = 20_000;
/** Directories whose folders are remembered between scans. */
const maxRemembered = 4;
/** The clock of a file system is this coarse: a younger change may be followed by one with the same time. */
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
 * Finds every `.git` in a directory, without following links. Runs in a thread, because it looks at every
 * folder. A folder that has not changed since the last scan costs one `lstat`.
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
  // This same file: the name stays right when it is built to JavaScript.
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
  /** Whether a later change is sure to show in `changed`. */
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
      const folder = lookAt(path, before.get(path));
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

/** Null for a folder that is gone or cannot be read. */
function lookAt(path: string, known: Folder | undefined): Folder | null {
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
