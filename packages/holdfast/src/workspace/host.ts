import { randomBytes } from "node:crypto";
import type { Workspace } from "../agent/agent.ts";
import type {
  MaintenanceCause,
  MaintenanceKind,
  MaintenanceProblem,
  PinningRun,
} from "../kernel/maintenance.ts";
import { appliedOf, revokeIn } from "./applied.ts";
import { Directory } from "./directory.ts";
import type { Holder } from "./generation.ts";
import type { FilePlace, Notice, Resource, WorkspaceLoader } from "./loader.ts";
import { pinOf } from "./pin.ts";
import type { Pins } from "./pin.ts";
import { systemClock } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { abortError } from "./workspaces.ts";
import type { Workspaces } from "./workspaces.ts";

/** Manages all open directories of this process and the config versions that its runs use. */
export interface WorkspaceHost extends Workspaces {
  /**
   * Reloads or closes open directories. Resolves when the new config is in use, without waiting for active runs, which
   * keep the config version that they started with (M1).
   */
  apply(request: ApplyRequest): Promise<Applied>;
  list(): readonly OpenDirectory[];
  /** Returns an open directory; null if the directory is not open. */
  get(directory: string): OpenDirectory | null;
  /** Opens the directory if it is not open. Throws a WorkspaceError if it cannot be loaded. */
  load(directory: string): Promise<OpenDirectory>;
  /** Call at the end of the process, after its runs. Closes every resource, even if a run still uses it. */
  close(): Promise<void>;
}

export interface ApplyRequest {
  readonly kind: MaintenanceKind;
  /** Null: all open directories. */
  readonly directories: readonly string[] | null;
  /**
   * Resources to close and open again. Each entry is a whole key, or the first parts of a key: `mcp:files` stands for
   * every key that starts with `mcp:files:`.
   */
  readonly restart: readonly string[];
  /** Names of providers whose resources are revoked immediately, even from runs that use them. */
  readonly revoke: readonly string[];
}

export interface Applied {
  /** Open directories that the request covers. */
  readonly directories: readonly string[];
  /** Problems of directories whose new config could not be loaded. Their old config version stays in use (M6). */
  readonly failures: readonly MaintenanceProblem[];
  /** Returns the runs that still use a config version that this change has retired. */
  waitingFor(): readonly PinningRun[];
  /** Returns the runs that still use a revoked provider, in any config version. */
  revokedRuns(): readonly PinningRun[];
  /** Calls the listener when the result of `waitingFor` has changed. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Resolves when all retired config versions are torn down, with the problems that occurred. Never rejects (M3). */
  readonly ended: Promise<readonly MaintenanceProblem[]>;
}

export interface OpenDirectory {
  readonly directory: string;
  /**
   * The config version for the next run. Null while it is loading, or if the directory was closed and runs still use an
   * old config version.
   */
  readonly current: OpenGeneration | null;
  /** Retired config versions that runs still use, oldest first. */
  readonly retired: readonly OpenGeneration[];
  /** The reason why the last refresh failed and the current config version stays in use. Null if it succeeded. */
  readonly problem: MaintenanceProblem | null;
}

export interface OpenGeneration {
  /** Id of the config version: its number, a dot, and the first characters of its digest. */
  readonly id: string;
  /** Sequence number of the config version within this process. */
  readonly number: number;
  readonly digest: string;
  readonly loadedAt: number;
  readonly workspace: Workspace;
  /** Warnings and, for the current config version, the reason why the last refresh failed. */
  readonly notices: readonly Notice[];
  readonly resources: readonly OpenResource[];
  readonly pins: readonly PinningRun[];
}

export interface OpenResource {
  readonly key: string;
  readonly title: string;
  /**
   * The place in a config file that defined the resource when this config version was loaded. Null: no file defined it.
   */
  readonly place: FilePlace | null;
  /** The open resource. Null if it could not be opened. */
  readonly resource: Resource | null;
  /** The reason why the resource could not be opened; null if it is open. */
  readonly problem: string | null;
  /** The error that was thrown when the resource could not be opened. */
  readonly error?: unknown;
}

export interface HostOptions {
  readonly loader: WorkspaceLoader;
  /**
   * Secret key of config digests. Pass the key of the store, so that nodes can compare digests (M7). Default: a random
   * key, so digests can be compared only within the process.
   */
  readonly digestKey?: () => Uint8Array;
  readonly clock?: Clock;
  /**
   * Revokes providers that belong to sessions and not to a config version. Returns a function that lists the runs that
   * still use a revoked one. Default: there are no such providers.
   */
  readonly revokeOffers?: (names: readonly string[]) => () => readonly PinningRun[];
  /** Timeout in milliseconds for reading a config and for opening a resource. */
  readonly openTimeout?: number;
  /**
   * Milliseconds that a run waits for an edited config to be loaded. Also the time that a slow MCP server gets to start
   * when a directory is loaded; after that, the run starts without the server.
   */
  readonly patience?: number;
  /** Timeout in milliseconds for closing a resource. */
  readonly closeTimeout?: number;
  /** Milliseconds without a run after which a directory is closed. */
  readonly idleAfter?: number;
  /** Called with errors that no caller receives, such as those of a teardown. */
  readonly onError: (error: unknown) => void;
  /** Called when a resource of the directory has changed, so the directory must be refreshed. */
  readonly onRefreshWanted: (directory: string, cause: MaintenanceCause) => void;
}

/**
 * Loads directories for runs and keeps each one open while a run uses it. Pass it to `createRuntime` if your
 * agent needs resources per directory, such as a config or a connection.
 *
 * @example
 * const loader: WorkspaceLoader = {
 *   read: async (directory) => ({
 *     digest: "1", // must change whenever the content of the directory's config changes
 *     notices: [],
 *     resources: [],
 *     build: ({ generation }) => ({ generation, directory, setup: null }),
 *   }),
 * };
 * const workspaces = createWorkspaceHost({
 *   loader,
 *   onError: console.error,
 *   onRefreshWanted: () => {},
 * });
 * const runtime = await createRuntime({ agent, store: "holdfast.db", workspaces });
 */
export function createWorkspaceHost(options: HostOptions): WorkspaceHost {
  const { clock = systemClock, onError, revokeOffers = () => () => [] } = options;
  const ownKey = randomBytes(32);
  const closing = new AbortController();
  const directories = new Map<string, Directory>();
  const pins: Pins = { runs: new Map(), shares: new Map() };
  let number = 0;

  const directoryOf = (path: string): Directory => {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const made = new Directory({
      openTimeout: 30_000,
      patience: 5_000,
      closeTimeout: 10_000,
      idleAfter: 15 * 60_000,
      digestKey: () => ownKey,
      ...options,
      clock,
      directory: path,
      closing: closing.signal,
      nextNumber: () => (number += 1),
      onClosed: () => {
        if (directories.get(path) === made) directories.delete(path);
      },
    });
    directories.set(path, made);
    return made;
  };
  const openIn = (paths: readonly string[] | null): readonly [string, Directory][] =>
    [...directories].filter(([path]) => paths === null || paths.includes(path));

  return {
    acquire: async ({ directory: path, sessionId, parentRunId, signal, onWait }) => {
      if (closing.signal.aborted || signal?.aborted === true) throw abortError();
      const holder: Holder = { sessionId, runId: null };
      const parent = parentRunId === null ? undefined : pins.runs.get(parentRunId);
      if (parent !== undefined && parent.path === path) {
        parent.generation.pin(holder);
        return pinOf({ ...parent, holder }, pins);
      }
      const directory = directoryOf(path);
      const generation = await directory.acquire({ holder, signal, onWait });
      return pinOf({ path, directory, generation, holder }, pins);
    },
    isReady: (path) => directories.get(path)?.isReady() === true,
    isShared: (sessionId) => pins.shares.has(sessionId),
    apply: async ({ kind, directories: paths, restart, revoke }) => {
      const affected = openIn(paths);
      const names = revoke.map((provider) => `provider:${provider}`);
      const before = affected.flatMap(([, directory]) => directory.generations());
      revokeIn(before, names);
      revokeOffers(revoke);
      const changes = await eachOf(affected, ([, directory]) =>
        kind === "close" ? directory.close() : directory.refresh(restart),
      );
      // Revoke the providers again: a config version that was loaded and retired in the meantime may also contain them,
      // and a client may have offered one.
      const since = changes.flatMap(({ retired }) => retired);
      const revoked = revokeIn(new Set([...before, ...since]), names);
      const usersOfOffers = revokeOffers(revoke);
      const applied = appliedOf({
        paths: affected.map(([path]) => path),
        changes,
        revoked,
        onError,
      });
      return { ...applied, revokedRuns: () => [...applied.revokedRuns(), ...usersOfOffers()] };
    },
    list: () => [...directories.values()].map((directory) => directory.view()),
    get: (path) => directories.get(path)?.view() ?? null,
    load: async (path) => {
      if (closing.signal.aborted) throw abortError();
      const directory = directoryOf(path);
      await directory.acquire({ holder: null, signal: undefined, onWait: undefined });
      return directory.view();
    },
    close: async () => {
      closing.abort();
      await Promise.all([...directories.values()].map((each) => each.shutDown()));
    },
  };
}

/** Processes the items, at most 32 concurrently, because each may start processes. Returns the results in order. */
async function eachOf<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const answers: U[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  return answers;
}
