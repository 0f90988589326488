import { watch } from "node:fs";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { areOnLocalDisk, look } from "../../agent/local-disk.ts";
import { shareWork } from "../../base/share-work.ts";
import type { Clock, Timer } from "../../base/time.ts";

export interface WatchOptions {
  readonly clock: Clock;
  /** Called when a file may have changed. The receiver must read the config again and compare digests. */
  readonly onChange: () => void;
  /** Milliseconds without further edits before `onChange` is called, so that many edits count as one change. */
  readonly debounce?: number;
  /** Maximum delay of `onChange` in milliseconds while edits continue. */
  readonly atMost?: number;
  /**
   * Poll intervals in milliseconds. `pollInterval` applies normally, to find changes whose event was lost;
   * `fallbackInterval` applies if a folder cannot be watched.
   */
  readonly pollInterval?: number;
  readonly fallbackInterval?: number;
  /** Watches one folder. Calls back with the name of the changed entry, if the platform reports it. May throw. */
  readonly watchFolder?: (
    folder: string,
    onChange: (name: string | null) => void,
    onError: () => void,
  ) => { close(): void };
}

export interface ConfigWatch {
  /**
   * Sets the files and folders to watch. They need not exist. `since` is the time when the caller began to read them,
   * so that a change during the read is not missed.
   */
  update(files: readonly string[], since: number): Promise<void>;
  /** True if a file has changed since it was read, even if no event was reported. */
  hasChanged(): Promise<boolean>;
  close(): void;
}

/**
 * Watches folders instead of files, because editors replace files. For a missing file, watches its parent folders.
 * Changes without an event are found by polling timestamps.
 */
export function watchConfig(options: WatchOptions): ConfigWatch {
  const { clock, onChange, debounce = 150, atMost = 2_000 } = options;
  const { pollInterval = 30_000, fallbackInterval = 2_000, watchFolder = systemWatch } = options;
  const folders = new Map<string, { watcher: { close(): void }; identity: string }>();
  /** True if a folder could not be watched, so polling must find its changes. */
  let mustPoll = false;
  /** True if all files are on local disks, where a stat never blocks. */
  let isQuick = false;
  let files: readonly string[] = [];
  /** Timestamps of the files when the config was read. */
  let marks: Marks = new Map();
  /** Timestamps of the files at the last poll. */
  let polledMarks: Marks = marks;
  let closed = false;
  let firstAt: number | null = null;
  let pending: Timer | null = null;
  let nextPoll: Timer | null = null;
  let arming: Promise<void> = Promise.resolve();

  const fire = (): void => {
    pending = null;
    firstAt = null;
    // Report the change only after the new watchers are ready, so that no change is missed.
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

  const onFolderEvent = (folder: string, name: string | null): void => {
    const path = name === null ? folder : join(folder, name);
    const concerns = (file: string): boolean =>
      file === path || file === folder || file.startsWith(`${path}/`);
    const own = folders.get(folder);
    // An event with the folder's own name means that the folder was removed. If a folder with the same path appears
    // later, it is a new folder and needs a new watcher.
    const isGone = name === basename(folder);
    if (own !== undefined && isGone) folders.set(folder, { ...own, identity: "gone" });
    const isConcerned = files.some(concerns);
    if (isConcerned) changed();
    // Update the watchers, because a folder may have been created, removed or replaced.
    if (isConcerned || isGone) void arm();
  };

  const armNow = async (): Promise<void> => {
    const wanted = await wantedFolders(files);
    isQuick = await areOnLocalDisk([...wanted.keys()]);
    if (closed) return;
    mustPoll = false;
    const former = [...folders].filter(([folder, { identity }]) => wanted.get(folder) !== identity);
    for (const [folder] of former) folders.delete(folder);
    for (const [folder, identity] of wanted) {
      if (folders.has(folder)) continue;
      const failed = (): void => {
        mustPoll = true;
        folders.get(folder)?.watcher.close();
        folders.delete(folder);
      };
      try {
        const watcher = watchFolder(folder, (name) => onFolderEvent(folder, name), failed);
        folders.set(folder, { watcher, identity });
      } catch {
        failed();
      }
    }
    // Close the old watchers only now, so that no change is missed.
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

  const poll = async (): Promise<void> => {
    const before = polledMarks;
    polledMarks = await marksOf(files, isQuick);
    if (!closed && differ(before, polledMarks)) {
      changed();
      await arm();
    }
    schedulePoll();
  };
  const schedulePoll = (): void => {
    if (closed) return;
    nextPoll?.cancel();
    nextPoll = clock.after(mustPoll ? fallbackInterval : pollInterval, () => void poll());
    nextPoll.unref();
  };

  /** Checks whether a file has changed. Concurrent calls share one check, because many runs may start together. */
  const differs = shareWork(async () => differ(marks, await marksOf(files, isQuick)));

  return {
    update: async (next, since) => {
      files = [...new Set(next)];
      await arm();
      marks = await marksOf(files, isQuick);
      polledMarks = marks;
      const soon = clock.now() + clockSlack;
      const isNewer = [...marks.values()].some(
        ({ changedAt }) => changedAt >= since - clockSlack && changedAt <= soon,
      );
      if (isNewer) changed();
      schedulePoll();
    },
    hasChanged: async () => pending !== null || (await differs("")),
    close: () => {
      closed = true;
      pending?.cancel();
      nextPoll?.cancel();
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}

const systemWatch: Required<WatchOptions>["watchFolder"] = (folder, onChange, onError) => {
  const watcher = watch(folder, { persistent: false }, (_, name) => onChange(name));
  return watcher.on("error", onError);
};

/** Tolerance in milliseconds for file timestamps, which are less precise than the system clock. */
const clockSlack = 20;

/**
 * Returns the folders to watch: the two nearest existing parents of each path, and the path itself if it is a folder.
 */
async function wantedFolders(files: readonly string[]): Promise<Map<string, string>> {
  const wanted = new Map<string, string>();
  for (const file of files) {
    const own = await identityOf(file);
    if (own !== null) wanted.set(file, own);
    // Watch two existing levels: the upper one reports that the lower one was replaced.
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

/** Returns a string that identifies a folder; null if the path is not a folder. */
async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  if (found === null || !found.isDirectory()) return null;
  // The inode number is not enough: a new folder may get the inode number of a removed one.
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
