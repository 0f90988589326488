import { watch } from "node:fs";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { areOnLocalDisk, look } from "../../agent/local-disk.ts";
import { shareWork } from "../../base/share-work.ts";
import type { Clock, Timer } from "../../base/time.ts";

export interface WatchOptions {
  readonly clock: Clock;
  /** Something may have changed: read again, and let the digest decide. */
  readonly onChange: () => void;
  /** Quiet that is waited for, so that many edits at once are one change. */
  readonly debounce?: number;
  /** Waited at most, while edits go on. */
  readonly atMost?: number;
  /** How often files are looked at besides, for what is not told; and where nothing is told. */
  readonly lookEvery?: number;
  readonly lookBlindlyEvery?: number;
  /** Calls back with the name of what has changed in a folder, where that is known; may throw. */
  readonly watchFolder?: (
    folder: string,
    onChange: (name: string | null) => void,
    onError: () => void,
  ) => { close(): void };
}

export interface ConfigWatch {
  /**
   * Files, and folders of files, that matter from now on; they need not exist. `since`: when reading
   * them began, so that a change made meanwhile is not missed.
   */
  update(files: readonly string[], since: number): Promise<void>;
  /** Whether something is another than when the files were read, told or not. */
  hasChanged(): Promise<boolean>;
  close(): void;
}

/**
 * Watches folders rather than files, since editors replace a file by another, and the folders above
 * those that are not there yet. What the system does not tell is found by looking at times.
 */
export function watchConfig(options: WatchOptions): ConfigWatch {
  const { clock, onChange, debounce = 150, atMost = 2_000 } = options;
  const { lookEvery = 30_000, lookBlindlyEvery = 2_000, watchFolder = systemWatch } = options;
  const folders = new Map<string, { watcher: { close(): void }; identity: string }>();
  /** Too many are watched, or the system cannot: looking at times must do. */
  let blind = false;
  /** Looking at the files never has to wait. */
  let isQuick = false;
  let files: readonly string[] = [];
  /** As the files were when they were read, and when they were last looked at. */
  let marks: Marks = new Map();
  let looked: Marks = marks;
  let closed = false;
  let firstAt: number | null = null;
  let pending: Timer | null = null;
  let nextLook: Timer | null = null;
  let arming: Promise<void> = Promise.resolve();

  const fire = (): void => {
    pending = null;
    firstAt = null;
    // What is read now is watched already, so that nothing is missed in between.
    void (async () => {
      await arming;
      if (!closed) onChange();
    })();
  };

  const changed = (): void => {
    if (closed) return;
    const now = clock.now();
    firstAt ??= now;
    pending?.cancel();
    pending = clock.after(Math.max(0, Math.min(debounce, firstAt + atMost - now)), fire);
    pending.unref();
  };

  const told = (folder: string, name: string | null): void => {
    const path = name === null ? folder : join(folder, name);
    const concerns = (file: string): boolean =>
      file === path || file === folder || file.startsWith(`${path}/`);
    const own = folders.get(folder);
    // Under its own name a folder tells that it is gone; what comes in its place is another.
    const isGone = name === basename(folder);
    if (own !== undefined && isGone) folders.set(folder, { ...own, identity: "gone" });
    const isConcerned = files.some(concerns);
    if (isConcerned) changed();
    // A folder may have come, gone, or been replaced by another.
    if (isConcerned || isGone) void arm();
  };

  const armNow = async (): Promise<void> => {
    const wanted = await wantedFolders(files);
    isQuick = await areOnLocalDisk([...wanted.keys()]);
    if (closed) return;
    blind = false;
    const former = [...folders].filter(([folder, { identity }]) => wanted.get(folder) !== identity);
    for (const [folder] of former) folders.delete(folder);
    for (const [folder, identity] of wanted) {
      if (folders.has(folder)) continue;
      const failed = (): void => {
        blind = true;
        folders.get(folder)?.watcher.close();
        folders.delete(folder);
      };
      try {
        const watcher = watchFolder(folder, (name) => told(folder, name), failed);
        folders.set(folder, { watcher, identity });
      } catch {
        failed();
      }
    }
    // After the new ones are there, so that nothing falls between them.
    for (const [, { watcher }] of former) watcher.close();
  };
  let queued = false;
  const arm = (): Promise<void> => {
    if (queued) return arming;
    queued = true;
    arming = arming.then(() => {
      queued = false;
      return armNow();
    });
    return arming;
  };

  const lookAgain = async (): Promise<void> => {
    const before = looked;
    looked = await marksOf(files, isQuick);
    if (!closed && differ(before, looked)) {
      changed();
      await arm();
    }
    scheduleLook();
  };
  const scheduleLook = (): void => {
    if (closed) return;
    nextLook?.cancel();
    nextLook = clock.after(blind ? lookBlindlyEvery : lookEvery, () => void lookAgain());
    nextLook.unref();
  };

  /** Many runs may begin at once. */
  const differs = shareWork(async () => differ(marks, await marksOf(files, isQuick)));

  return {
    update: async (next, since) => {
      files = [...new Set(next)];
      await arm();
      marks = await marksOf(files, isQuick);
      looked = marks;
      const soon = clock.now() + clockSlack;
      const isNewer = [...marks.values()].some(
        ({ changedAt }) => changedAt >= since - clockSlack && changedAt <= soon,
      );
      if (isNewer) changed();
      scheduleLook();
    },
    hasChanged: async () => pending !== null || (await differs("")),
    close: () => {
      closed = true;
      pending?.cancel();
      nextLook?.cancel();
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}

const systemWatch: Required<WatchOptions>["watchFolder"] = (folder, onChange, onError) => {
  const watcher = watch(folder, { persistent: false }, (_, name) => onChange(name));
  return watcher.on("error", onError);
};

/** The times of files come from a clock of their own, which goes in steps. */
const clockSlack = 20;

/** For each path its folder, or the nearest above that exists; of a folder, itself as well. */
async function wantedFolders(files: readonly string[]): Promise<Map<string, string>> {
  const wanted = new Map<string, string>();
  for (const file of files) {
    const own = await identityOf(file);
    if (own !== null) wanted.set(file, own);
    // Each up to one that exists: its replacement is told by the one above it.
    for (let folder = dirname(file), found = 0; found < 2; folder = dirname(folder)) {
      const identity = wanted.get(folder) ?? (await identityOf(folder));
      if (identity !== null) {
        wanted.set(folder, identity);
        found += 1;
      }
      if (folder === dirname(folder)) break;
    }
  }
  return wanted;
}

/** Null for what is no folder. */
async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  if (found === null || !found.isDirectory()) return null;
  // The number alone may have belonged to a folder that was removed a moment ago.
  return `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

interface Mark {
  readonly mark: string;
  readonly changedAt: number;
}

type Marks = ReadonlyMap<string, Mark>;

function differ(before: Marks, now: Marks): boolean {
  return [...now].some(([file, { mark }]) => before.get(file)?.mark !== mark);
}

async function marksOf(files: readonly string[], isQuick: boolean): Promise<Marks> {
  const found = await Promise.all(files.map((file) => look(file, isQuick)));
  return new Map(files.map((file, index) => [file, markOf(found[index] ?? null)]));
}

function markOf(found: BigIntStats | null): Mark {
  if (found === null) return { mark: "none", changedAt: -Infinity };
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = found;
  return { mark: [dev, ino, size, mtimeNs, ctimeNs].join(":"), changedAt: Number(ctimeMs) };
}
