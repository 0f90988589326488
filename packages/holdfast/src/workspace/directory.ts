import type { MaintenanceCause, MaintenanceProblem } from "../kernel/maintenance.ts";
import { bootGeneration } from "./boot.ts";
import type { BootParts } from "./boot.ts";
import type { Generation, Holder } from "./generation.ts";
import type { OpenDirectory, OpenGeneration } from "./host.ts";
import { about, noticeText, warning, WorkspaceError } from "./loader.ts";
import type { Notice } from "./loader.ts";
import { createEndings, messageOf } from "./resource.ts";
import type { SharedResource } from "./resource.ts";
import { withTimeout } from "../base/time.ts";
import type { Timer } from "../base/time.ts";
import { abortError } from "./workspaces.ts";

/** One directory: what the next run gets, what running ones keep, and one load at a time. */
export interface Directory {
  /** The generation in use, loaded if there is none; pinned by the holder before anybody else acts. */
  acquire(request: AcquireRequest): Promise<Generation>;
  /** There is a generation in use, and no newer one that the next pin would wait for. */
  isReady(): boolean;
  /** Loads what is new (M4). Requests during a load share the next one: this one may have read too early. */
  refresh(restart: Iterable<string>): Promise<Change>;
  /** Retires what is in use; the next pin loads anew. */
  close(): Promise<Change>;
  /** All that is not torn down, the oldest first. */
  generations(): readonly Generation[];
  /** A run has ended with it: the time until it counts as idle begins anew. */
  touch(): void;
  view(): OpenDirectory;
  /** After the signal that everything is closing: waits for what loads, and tears all of it down. */
  shutDown(): Promise<void>;
}

export interface AcquireRequest {
  /** Null to have it loaded and no more. */
  readonly holder: Holder | null;
  readonly signal: AbortSignal | undefined;
  /** Called before it waits for a load. */
  readonly onWait: (() => void) | undefined;
}

/** How a refresh or close has ended. */
export interface Change {
  /** Why the present generation stays in use; null when the wanted state is. */
  readonly problem: MaintenanceProblem | null;
  /** What had been retired by then, and was not torn down yet. */
  readonly retired: readonly Generation[];
}

export interface DirectoryParts extends Omit<BootParts, "endings" | "onChange"> {
  readonly directory: string;
  readonly idleAfter: number;
  readonly onRefreshWanted: (directory: string, cause: MaintenanceCause) => void;
  /** Nothing of it is open any more. */
  readonly onClosed: () => void;
}

interface Job {
  /** A close that comes while something loads is done for everybody who waits: nothing is in use then. */
  closes: boolean;
  readonly restart: Set<string>;
  readonly done: PromiseWithResolvers<Change>;
}

interface Waiter {
  readonly holder: Holder | null;
  readonly resolve: (generation: Generation) => void;
  readonly reject: (error: unknown) => void;
}

export function openDirectory(parts: DirectoryParts): Directory {
  const { directory, clock, patience, idleAfter, closing, onError } = parts;
  const retired = new Set<Generation>();
  const waiting = new Set<Waiter>();
  const endings = createEndings(() => lookClosed());
  let current: Generation | null = null;
  /** Why the last load has left things as they are. */
  let failure: { readonly error: unknown } | null = null;
  let running: Promise<void> | null = null;
  let next: Job | null = null;
  /** A load for a change that nobody had told of, and until when runs wait for it. */
  let catchingUp: { readonly load: Promise<Change>; readonly until: number } | null = null;
  /** Pins that are on their way, though nothing shows of them yet. */
  let entering = 0;
  let usedAt = clock.now();
  let idle: Timer | null = null;

  const problem = (): MaintenanceProblem | null =>
    failure === null ? null : { directory, message: messageOf(failure.error) };
  const wantRefresh = (changed: SharedResource): void => {
    if (closing.aborted || current?.resources.get(changed.key) !== changed) return;
    try {
      parts.onRefreshWanted(directory, causeOf(changed.key));
    } catch (error) {
      onError(error);
    }
  };
  const bootParts: BootParts = { ...parts, endings, onChange: wantRefresh };

  const retire = (): void => {
    if (current === null) return;
    const old = current;
    current = null;
    idle?.cancel();
    retired.add(old);
    void old.gone.finally(() => {
      retired.delete(old);
      lookClosed();
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
    // A refresh that was asked for meanwhile may find what this load has not.
    if (next !== null) return;
    for (const { reject } of waiting) reject(error);
    waiting.clear();
  };

  const load = async (restart: ReadonlySet<string>): Promise<void> => {
    try {
      const generation = await bootGeneration(bootParts, { directory, current, restart });
      failure = null;
      if (generation === null) return;
      install(generation);
      for (const resource of generation.outdated()) wantRefresh(resource);
    } catch (error) {
      failure = { error };
      fail(error);
    }
  };
  const carryOut = async (job: Job): Promise<void> => {
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
    running = carryOut(job).finally(() => {
      running = null;
      if (waiting.size > 0 && current === null) void ask({ closes: false, restart: [] });
      work();
      lookClosed();
    });
  };
  const ask = (wish: { closes: boolean; restart: Iterable<string> }): Promise<Change> => {
    next ??= { closes: false, restart: new Set(), done: Promise.withResolvers() };
    const { done } = next;
    next.closes ||= wish.closes;
    for (const name of wish.restart) next.restart.add(name);
    work();
    return done.promise;
  };

  /**
   * What has changed and was not told yet is in use before the next pin: an edit counts at once. If
   * loading it takes long, as with a server that hangs, the pin is on what is there (M6).
   */
  const catchUp = async (old: Generation, { signal, onWait }: AcquireRequest): Promise<void> => {
    if (await isOutdated(old, parts)) {
      const load = ask({ closes: false, restart: [] });
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
  /** Pins, or starts a load, before anybody else acts. */
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
    if (running === null) void ask({ closes: false, restart: [] });
    return promise.finally(() => signal?.removeEventListener("abort", giveUp));
  };

  const lookClosed = (): void => {
    const isUsed = current !== null || running !== null || retired.size > 0 || entering > 0;
    if (!isUsed && endings.isEmpty()) parts.onClosed();
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
        lookClosed();
      }
    },
    isReady: () => current !== null && (catchingUp === null || isTakingLong()),
    refresh: (restart) => ask({ closes: false, restart }),
    close: () => ask({ closes: true, restart: [] }),
    generations: () => [...retired, ...(current === null ? [] : [current])],
    touch: () => {
      usedAt = clock.now();
    },
    view: () => ({
      directory,
      current:
        current === null ? null : withNotices(current.view(), newsOf(failure, isTakingLong())),
      retired: [...retired].map((generation) => generation.view()),
      problem: problem(),
    }),
    shutDown: async () => {
      for (let load = running; load !== null; load = running) await load;
      retire();
      const left = [...retired];
      for (const generation of left) generation.discard();
      await Promise.all(left.map(({ gone }) => gone));
      await endings.all();
    },
  };
}

/** People who look at what is in use are told why it is not what they have written since (M6). */
function newsOf(failure: { readonly error: unknown } | null, isLoading: boolean): Notice[] {
  if (isLoading) return [warning("what has changed is still being loaded; runs begin without it")];
  if (failure === null) return [];
  const { error } = failure;
  return error instanceof WorkspaceError ? [...error.notices] : [about(messageOf(error))];
}

function withNotices(generation: OpenGeneration, news: readonly Notice[]): OpenGeneration {
  const told = new Set(news.map(noticeText));
  const others = generation.notices.filter((notice) => !told.has(noticeText(notice)));
  return { ...generation, notices: [...news, ...others] };
}

function failLate(): never {
  throw new Error("it took too long to find out what has changed");
}

/** A generation that does not answer in time counts as unchanged. */
async function isOutdated(generation: Generation, parts: DirectoryParts): Promise<boolean> {
  const { clock, onError } = parts;
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

/** By what the resource is: the beginning of its key. */
function causeOf(key: string): MaintenanceCause {
  if (key.startsWith("config:")) return "config";
  return key.startsWith("provider:") ? "provider" : "mcp";
}
