import type { MaintenanceCause, MaintenanceProblem } from "../kernel/maintenance.ts";
import { bootGeneration } from "./boot.ts";
import type { BootServices } from "./boot.ts";
import type { Generation, Holder } from "./generation.ts";
import type { OpenDirectory, OpenGeneration } from "./host.ts";
import { errorNotice, noticeText, warning, WorkspaceError } from "./loader.ts";
import type { Notice } from "./loader.ts";
import { createEndings, messageOf } from "./resource.ts";
import type { SharedResource } from "./resource.ts";
import { withTimeout } from "../base/time.ts";
import type { Timer } from "../base/time.ts";
import { abortError } from "./workspaces.ts";

/**
 * A directory with its current config version and the retired config versions that runs still use. It loads one config
 * version at a time.
 */
export interface Directory {
  /**
   * Returns the current config version, or loads one. Records at once that the run (`holder`) uses this config version,
   * so that it stays open until the run ends, even if a newer one replaces it.
   */
  acquire(request: AcquireRequest): Promise<Generation>;
  /**
   * True if the next run can start at once: a config version is loaded, and the run need not wait until changed config
   * files are loaded.
   */
  isReady(): boolean;
  /**
   * Loads the changed config of this directory (M4). Requests that arrive during a load share the next load, because
   * the current one may have read the files before they changed.
   */
  refresh(restart: Iterable<string>): Promise<Change>;
  /** Retires the current config version. The next run in the directory loads a new one. */
  close(): Promise<Change>;
  /** All config versions that are not torn down yet, oldest first. */
  generations(): readonly Generation[];
  /** Call when a run has ended: the idle time begins again. */
  touch(): void;
  view(): OpenDirectory;
  /**
   * Waits for a load in progress, then tears down all config versions. Abort the signal `closing` before this call, so
   * that no new load starts.
   */
  shutDown(): Promise<void>;
}

export interface AcquireRequest {
  /** The run that keeps the config version open. Null: load it, but do not keep it open. */
  readonly holder: Holder | null;
  readonly signal: AbortSignal | undefined;
  /** Called before the request waits for a config version to be loaded. */
  readonly onWait: (() => void) | undefined;
}

/** Result of loading a directory's config again, or of closing the directory. */
export interface Change {
  /** The reason why the current config version stays in use. Null on success. */
  readonly problem: MaintenanceProblem | null;
  /** Config versions that are retired but not torn down yet. */
  readonly retired: readonly Generation[];
}

export interface DirectoryOptions extends Omit<BootServices, "endings" | "onChange"> {
  readonly directory: string;
  readonly idleAfter: number;
  readonly onRefreshWanted: (directory: string, cause: MaintenanceCause) => void;
  /** Called when no config version or resource of the directory is open any more. */
  readonly onClosed: () => void;
}

interface Job {
  /**
   * True if any of the requests that share this job is a close: then the job closes the directory and loads no
   * config version.
   */
  closes: boolean;
  readonly restart: Set<string>;
  readonly done: PromiseWithResolvers<Change>;
}

interface Waiter {
  readonly holder: Holder | null;
  readonly resolve: (generation: Generation) => void;
  readonly reject: (error: unknown) => void;
}

export function openDirectory(options: DirectoryOptions): Directory {
  const { directory, clock, patience, idleAfter, closing, onError } = options;
  const retired = new Set<Generation>();
  const waiting = new Set<Waiter>();
  const endings = createEndings(() => checkClosed());
  let current: Generation | null = null;
  /** The error of the last attempt to load the directory's config. Null if that attempt succeeded. */
  let failure: { readonly error: unknown } | null = null;
  let running: Promise<void> | null = null;
  let next: Job | null = null;
  /**
   * The config reload in progress, which was started because a config file was edited before a run. Runs wait for this
   * reload, at most until the time `until`. Null: no such reload.
   */
  let catchingUp: { readonly load: Promise<Change>; readonly until: number } | null = null;
  /** Number of runs that are currently waiting in `acquire`. */
  let entering = 0;
  let usedAt = clock.now();
  let idle: Timer | null = null;

  const problem = (): MaintenanceProblem | null =>
    failure === null ? null : { directory, message: messageOf(failure.error) };
  const wantRefresh = (changed: SharedResource): void => {
    if (closing.aborted || current?.resources.get(changed.key) !== changed) return;
    try {
      options.onRefreshWanted(directory, causeOf(changed.key));
    } catch (error) {
      onError(error);
    }
  };
  const bootServices: BootServices = { ...options, endings, onChange: wantRefresh };

  const retire = (): void => {
    if (current === null) return;
    const old = current;
    current = null;
    idle?.cancel();
    retired.add(old);
    void old.tornDown.finally(() => {
      retired.delete(old);
      checkClosed();
    });
    old.retire();
  };
  const install = (generation: Generation): void => {
    retire();
    current = generation;
    for (const { holder, resolve } of waiting) {
      if (holder !== null) generation.pin(holder);
      resolve(generation);
    }
    waiting.clear();
    usedAt = clock.now();
    watchIdle(idleAfter);
  };
  const fail = (error: unknown): void => {
    // Another refresh was requested while this one ran. It may succeed, so the waiting runs wait for it.
    if (next !== null) return;
    for (const { reject } of waiting) reject(error);
    waiting.clear();
  };

  const load = async (restart: ReadonlySet<string>): Promise<void> => {
    try {
      const generation = await bootGeneration(bootServices, { directory, current, restart });
      failure = null;
      if (generation === null) return;
      install(generation);
      for (const resource of generation.outdated()) wantRefresh(resource);
    } catch (error) {
      failure = { error };
      fail(error);
    }
  };
  const runJob = async (job: Job): Promise<void> => {
    if (job.closes) {
      failure = null;
      retire();
    } else if (current !== null || waiting.size > 0) await load(job.restart);
    job.done.resolve({ problem: problem(), retired: [...retired] });
  };
  const work = (): void => {
    if (running !== null || next === null) return;
    const job = next;
    next = null;
    running = runJob(job).finally(() => {
      running = null;
      if (waiting.size > 0 && current === null) void requestChange({ closes: false, restart: [] });
      work();
      checkClosed();
    });
  };
  const requestChange = (wanted: {
    closes: boolean;
    restart: Iterable<string>;
  }): Promise<Change> => {
    next ??= { closes: false, restart: new Set(), done: Promise.withResolvers() };
    const { done } = next;
    next.closes ||= wanted.closes;
    for (const name of wanted.restart) next.restart.add(name);
    work();
    return done.promise;
  };

  /**
   * Loads the config again if a file has changed but no change was reported yet, so that the next run uses the new
   * config. If loading takes long, for example because an MCP server hangs, the run uses the current config version
   * (M6).
   */
  const catchUp = async (old: Generation, { signal, onWait }: AcquireRequest): Promise<void> => {
    if (await isOutdated(old, options)) {
      const load = requestChange({ closes: false, restart: [] });
      if (catchingUp?.load !== load) catchingUp = { load, until: clock.now() + patience };
      void load.finally(() => {
        if (catchingUp?.load === load) catchingUp = null;
      });
    }
    if (catchingUp !== null && !isTakingLong()) {
      onWait?.();
      const milliseconds = catchingUp.until - clock.now();
      await withTimeout(catchingUp.load, { clock, milliseconds, late: () => {}, signal });
    }
    if (closing.aborted) throw abortError();
  };
  const isTakingLong = (): boolean => catchingUp !== null && clock.now() >= catchingUp.until;
  /** Pins the current config version for the run synchronously, or waits until one is loaded. */
  const pinOrWait = ({ holder, signal, onWait }: AcquireRequest): Promise<Generation> => {
    if (current !== null) {
      if (holder !== null) current.pin(holder);
      return Promise.resolve(current);
    }
    onWait?.();
    const { promise, resolve, reject } = Promise.withResolvers<Generation>();
    const waiter: Waiter = { holder, resolve, reject };
    waiting.add(waiter);
    const giveUp = (): void => {
      if (waiting.delete(waiter)) reject(abortError());
    };
    signal?.addEventListener("abort", giveUp);
    if (running === null) void requestChange({ closes: false, restart: [] });
    return promise.finally(() => signal?.removeEventListener("abort", giveUp));
  };

  const checkClosed = (): void => {
    const isUsed = current !== null || running !== null || retired.size > 0 || entering > 0;
    if (!isUsed && endings.isEmpty()) options.onClosed();
  };
  const watchIdle = (milliseconds: number): void => {
    idle?.cancel();
    idle = clock.after(milliseconds, () => {
      const left = usedAt + idleAfter - clock.now();
      const isBusy = running !== null || current?.isPinned() === true;
      if (left > 0 || isBusy) watchIdle(isBusy ? idleAfter : left);
      else retire();
    });
    idle.unref();
  };

  return {
    acquire: async (request) => {
      usedAt = clock.now();
      entering += 1;
      try {
        if (current?.canBeOutdated === true) await catchUp(current, request);
        return await pinOrWait(request);
      } finally {
        entering -= 1;
        checkClosed();
      }
    },
    isReady: () => current !== null && (catchingUp === null || isTakingLong()),
    refresh: (restart) => requestChange({ closes: false, restart }),
    close: () => requestChange({ closes: true, restart: [] }),
    generations: () => [...retired, ...(current === null ? [] : [current])],
    touch: () => {
      usedAt = clock.now();
    },
    view: () => ({
      directory,
      current:
        current === null
          ? null
          : withNotices(current.view(), refreshNotices(failure, isTakingLong())),
      retired: [...retired].map((generation) => generation.view()),
      problem: problem(),
    }),
    shutDown: async () => {
      for (let load = running; load !== null; load = running) await load;
      retire();
      const left = [...retired];
      for (const generation of left) generation.discard();
      await Promise.all(left.map(({ tornDown }) => tornDown));
      await endings.all();
    },
  };
}

/** Returns notices that explain why the newest config is not in use (M6). */
function refreshNotices(failure: { readonly error: unknown } | null, isLoading: boolean): Notice[] {
  if (isLoading) return [warning("a change is still being loaded; runs start without it")];
  if (failure === null) return [];
  const { error } = failure;
  return error instanceof WorkspaceError ? [...error.notices] : [errorNotice(messageOf(error))];
}

function withNotices(generation: OpenGeneration, fresh: readonly Notice[]): OpenGeneration {
  const texts = new Set(fresh.map(noticeText));
  const others = generation.notices.filter((notice) => !texts.has(noticeText(notice)));
  return { ...generation, notices: [...fresh, ...others] };
}

function failLate(): never {
  throw new Error("checking the directory for changes timed out");
}

/**
 * True if the config has changed since this config version was loaded. A check that takes too long counts as unchanged.
 */
async function isOutdated(generation: Generation, options: DirectoryOptions): Promise<boolean> {
  const { clock, onError } = options;
  try {
    return await withTimeout(generation.isOutdated(), {
      clock,
      milliseconds: 1_000,
      late: failLate,
    });
  } catch (error) {
    onError(error);
    return false;
  }
}

/** Derives the cause of a refresh from the prefix of the changed resource's key. */
function causeOf(key: string): MaintenanceCause {
  if (key.startsWith("config:")) return "config";
  return key.startsWith("provider:") ? "provider" : "mcp";
}
