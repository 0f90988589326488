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

/**
 * A directory with its current config version and the retired config versions that runs still use. It loads one config
 * version at a time.
 */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #bootServices: BootServices;
  readonly #endings = createEndings(() => this.#checkClosed());
  readonly #retired = new Set<Generation>();
  readonly #waiting = new Waiters();
  #current: Generation | null = null;
  /** The error of the last attempt to load the directory's config. Null if that attempt succeeded. */
  #failure: { readonly error: unknown } | null = null;
  #running: Promise<void> | null = null;
  #next: Job | null = null;
  /**
   * The config reload in progress, which was started because a config file was edited before a run. Runs wait for this
   * reload, at most until the time `until`. Null: no such reload.
   */
  #catchingUp: { readonly load: Promise<Change>; readonly until: number } | null = null;
  /** Number of runs that are currently waiting in `acquire`. */
  #entering = 0;
  #usedAt: number;
  #idle: Timer | null = null;

  constructor(options: DirectoryOptions) {
    const onChange = (changed: SharedResource): void => this.#wantRefresh(changed);
    this.#options = options;
    this.#bootServices = { ...options, endings: this.#endings, onChange };
    this.#usedAt = options.clock.now();
  }

  /**
   * Returns the current config version, or loads one. Records at once that the run (`holder`) uses this config version,
   * so that it stays open until the run ends, even if a newer one replaces it.
   */
  async acquire(request: AcquireRequest): Promise<Generation> {
    this.touch();
    this.#entering += 1;
    try {
      if (this.#current?.canBeOutdated === true) await this.#catchUp(this.#current, request);
      // The signals may have aborted during the check for changes.
      if (this.#options.closing.aborted || request.signal?.aborted === true) throw abortError();
      return await this.#pinOrWait(request);
    } finally {
      this.#entering -= 1;
      this.#checkClosed();
    }
  }

  /**
   * True if the next run can start at once: a config version is loaded, and the run need not wait until changed config
   * files are loaded.
   */
  isReady(): boolean {
    return this.#current !== null && (this.#catchingUp === null || this.#isTakingLong());
  }

  /**
   * Loads the changed config of this directory (M4). Requests that arrive during a load share the next load, because
   * the current one may have read the files before they changed.
   */
  refresh(restart: Iterable<string>): Promise<Change> {
    return this.#requestChange({ closes: false, restart });
  }

  /** Retires the current config version. The next run in the directory loads a new one. */
  close(): Promise<Change> {
    return this.#requestChange({ closes: true, restart: [] });
  }

  /** All config versions that are not torn down yet, oldest first. */
  generations(): readonly Generation[] {
    return [...this.#retired, ...(this.#current === null ? [] : [this.#current])];
  }

  /** Call when a run has ended: the idle time begins again. */
  touch(): void {
    this.#usedAt = this.#options.clock.now();
  }

  view(): OpenDirectory {
    const current = this.#current?.view() ?? null;
    const notices = refreshNotices(this.#failure, this.#isTakingLong());
    return {
      directory: this.#options.directory,
      current: current === null ? null : withNotices(current, notices),
      retired: [...this.#retired].map((generation) => generation.view()),
      problem: this.#problem(),
    };
  }

  /**
   * Waits for a load in progress, then tears down all config versions. Abort the signal `closing` before this call, so
   * that no new load starts.
   */
  async shutDown(): Promise<void> {
    for (let load = this.#running; load !== null; load = this.#running) await load;
    this.#retire();
    const left = [...this.#retired];
    for (const generation of left) generation.discard();
    await Promise.all(left.map(({ tornDown }) => tornDown));
    await this.#endings.all();
  }

  /**
   * Loads the config again if a file has changed but no change was reported yet, so that the next run uses the new
   * config. If loading takes long, for example because an MCP server hangs, the run uses the current config version
   * (M6).
   */
  async #catchUp(old: Generation, { signal, onWait }: AcquireRequest): Promise<void> {
    const { clock, patience } = this.#options;
    if (await isOutdated(old, this.#options)) {
      const load = this.refresh([]);
      if (this.#catchingUp?.load !== load)
        this.#catchingUp = { load, until: clock.now() + patience };
      void load.finally(() => {
        if (this.#catchingUp?.load === load) this.#catchingUp = null;
      });
    }
    if (this.#catchingUp !== null && !this.#isTakingLong()) {
      onWait?.();
      const { load, until } = this.#catchingUp;
      const milliseconds = until - clock.now();
      await withTimeout(load, { clock, milliseconds, late: () => {}, signal });
    }
  }

  #isTakingLong(): boolean {
    return this.#catchingUp !== null && this.#options.clock.now() >= this.#catchingUp.until;
  }

  /** Pins the current config version for the run synchronously, or waits until one is loaded. */
  #pinOrWait(request: AcquireRequest): Promise<Generation> {
    if (this.#current !== null) {
      if (request.holder !== null) this.#current.pin(request.holder);
      return Promise.resolve(this.#current);
    }
    request.onWait?.();
    const loaded = this.#waiting.add(request);
    if (this.#running === null) void this.refresh([]);
    return loaded;
  }

  #requestChange(wanted: { closes: boolean; restart: Iterable<string> }): Promise<Change> {
    this.#next ??= { closes: false, restart: new Set(), done: Promise.withResolvers() };
    const { done } = this.#next;
    this.#next.closes ||= wanted.closes;
    for (const name of wanted.restart) this.#next.restart.add(name);
    this.#work();
    return done.promise;
  }

  #work(): void {
    if (this.#running !== null || this.#next === null) return;
    const job = this.#next;
    this.#next = null;
    this.#running = this.#runJob(job).finally(() => {
      this.#running = null;
      if (!this.#waiting.isEmpty() && this.#current === null) void this.refresh([]);
      this.#work();
      this.#checkClosed();
    });
  }

  async #runJob(job: Job): Promise<void> {
    if (job.closes) {
      this.#failure = null;
      this.#retire();
    } else if (this.#current !== null || !this.#waiting.isEmpty()) await this.#load(job.restart);
    job.done.resolve({ problem: this.#problem(), retired: [...this.#retired] });
  }

  async #load(restart: ReadonlySet<string>): Promise<void> {
    const { directory } = this.#options;
    try {
      const request = { directory, current: this.#current, restart };
      const generation = await bootGeneration(this.#bootServices, request);
      this.#failure = null;
      if (generation === null) return;
      this.#install(generation);
      for (const resource of generation.outdated()) this.#wantRefresh(resource);
    } catch (error) {
      this.#failure = { error };
      // If another refresh was requested while this one ran, it may succeed, so the waiting runs wait for it.
      if (this.#next === null) this.#waiting.reject(error);
    }
  }

  #problem(): MaintenanceProblem | null {
    if (this.#failure === null) return null;
    return { directory: this.#options.directory, message: messageOf(this.#failure.error) };
  }

  #wantRefresh(changed: SharedResource): void {
    const { closing, directory, onRefreshWanted, onError } = this.#options;
    if (closing.aborted || this.#current?.resources.get(changed.key) !== changed) return;
    try {
      onRefreshWanted(directory, causeOf(changed.key));
    } catch (error) {
      onError(error);
    }
  }

  #install(generation: Generation): void {
    this.#retire();
    this.#current = generation;
    this.#waiting.resolve(generation);
    this.touch();
    this.#watchIdle(this.#options.idleAfter);
  }

  #retire(): void {
    const old = this.#current;
    if (old === null) return;
    this.#current = null;
    this.#idle?.cancel();
    this.#retired.add(old);
    void old.tornDown.finally(() => {
      this.#retired.delete(old);
      this.#checkClosed();
    });
    old.retire();
  }

  #watchIdle(milliseconds: number): void {
    const { clock, idleAfter } = this.#options;
    this.#idle?.cancel();
    this.#idle = clock.after(milliseconds, () => {
      const left = this.#usedAt + idleAfter - clock.now();
      const isBusy = this.#running !== null || this.#current?.isPinned() === true;
      if (left > 0 || isBusy) this.#watchIdle(isBusy ? idleAfter : left);
      else this.#retire();
    });
    this.#idle.unref();
  }

  #checkClosed(): void {
    const hasVersions = this.#current !== null || this.#retired.size > 0;
    const isUsed = hasVersions || this.#running !== null || this.#entering > 0;
    if (!isUsed && this.#endings.isEmpty()) this.#options.onClosed();
  }
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

/** Runs that wait until a config version is loaded. */
class Waiters {
  readonly #waiting = new Set<Waiter>();

  add({ holder, signal }: AcquireRequest): Promise<Generation> {
    const { promise, resolve, reject } = Promise.withResolvers<Generation>();
    const waiter: Waiter = { holder, resolve, reject };
    this.#waiting.add(waiter);
    const giveUp = (): void => {
      if (this.#waiting.delete(waiter)) reject(abortError());
    };
    signal?.addEventListener("abort", giveUp);
    return promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  resolve(generation: Generation): void {
    for (const { holder, resolve } of this.#waiting) {
      if (holder !== null) generation.pin(holder);
      resolve(generation);
    }
    this.#waiting.clear();
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }
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
