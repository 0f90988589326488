import { randomBytes } from "node:crypto";
import type { Workspace } from "../agent/agent.ts";
import type {
  MaintenanceCause,
  MaintenanceKind,
  MaintenanceProblem,
  PinningRun,
} from "../kernel/maintenance.ts";
import { appliedOf, revokeIn } from "./applied.ts";
import { openDirectory } from "./directory.ts";
import type { Directory } from "./directory.ts";
import type { Holder } from "./generation.ts";
import type { Notice, Resource, WorkspaceLoader } from "./loader.ts";
import { pinOf } from "./pin.ts";
import type { Pins } from "./pin.ts";
import { systemClock } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { abortError } from "./workspaces.ts";
import type { Workspaces } from "./workspaces.ts";

/** Every directory that is open in this process, and the generations that its runs have pinned. */
export interface WorkspaceHost extends Workspaces {
  /**
   * Refreshes or closes what is open. It answers when the new state is in use, and waits for no run:
   * those keep what they have pinned (M1).
   */
  apply(request: ApplyRequest): Promise<Applied>;
  list(): readonly OpenDirectory[];
  /** Null when it is not open. */
  get(directory: string): OpenDirectory | null;
  /** Opens it if it is not; throws a WorkspaceError when it cannot be loaded. */
  load(directory: string): Promise<OpenDirectory>;
  /** For the end of the process, after its runs: every resource is closed once, pinned or not. */
  close(): Promise<void>;
}

export interface ApplyRequest {
  readonly kind: MaintenanceKind;
  /** Null for every open one. */
  readonly directories: readonly string[] | null;
  /** Resources to open anew: whole keys, or their beginnings up to a colon, such as `mcp:files`. */
  readonly restart: readonly string[];
  /** Providers by name: their resources serve nobody any more, pinned or not. */
  readonly revoke: readonly string[];
}

export interface Applied {
  /** The open ones among those that were asked for. */
  readonly directories: readonly string[];
  /** Directories whose new state could not be loaded: the old one stays in use (M6). */
  readonly failures: readonly MaintenanceProblem[];
  /** Runs that pin, at this moment, what was retired when it was applied. */
  waitingFor(): readonly PinningRun[];
  /** Runs that use, at this moment, a provider that was revoked, whatever they have pinned. */
  revokedRuns(): readonly PinningRun[];
  /** Told when `waitingFor` has changed. Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  /** Resolves once all of it is torn down, with what went wrong; never rejects (M3). */
  readonly ended: Promise<readonly MaintenanceProblem[]>;
}

export interface OpenDirectory {
  readonly directory: string;
  /** What the next run gets; null while it is being loaded, or closed with runs still on an old one. */
  readonly current: OpenGeneration | null;
  /** Those that are still pinned, the oldest first. */
  readonly retired: readonly OpenGeneration[];
  /** Why the last refresh has left the present generation in use; null when it did not fail. */
  readonly problem: MaintenanceProblem | null;
}

export interface OpenGeneration {
  /** `<number>.<beginning of the digest>`. */
  readonly id: string;
  /** Counts the generations of the directory in this process. */
  readonly number: number;
  readonly digest: string;
  readonly loadedAt: number;
  readonly workspace: Workspace;
  /** Of the present one also why the last refresh has left it in use. */
  readonly notices: readonly Notice[];
  readonly resources: readonly OpenResource[];
  readonly pins: readonly PinningRun[];
}

export interface OpenResource {
  readonly key: string;
  readonly title: string;
  /** Null when it could not be opened. */
  readonly resource: Resource | null;
  /** Why it could not; null when it could. */
  readonly problem: string | null;
}

export interface HostOptions {
  readonly loader: WorkspaceLoader;
  /**
   * The key of generations' digests: that of the store, so that other nodes compare them with theirs
   * (M7). If left out, a random one, and no digest of another process is ever the same.
   */
  readonly digestKey?: () => Uint8Array;
  readonly clock?: Clock;
  /** Milliseconds for reading a config, and for opening a resource. */
  readonly openTimeout?: number;
  /** Milliseconds that a run waits for an edit to be loaded, and for a server at the first load. */
  readonly patience?: number;
  /** Milliseconds for closing a resource: after that it is given up, and said so. */
  readonly closeTimeout?: number;
  /** Milliseconds without a run after which a directory is closed. */
  readonly idleAfter?: number;
  /** Also told of what goes wrong in a teardown that nobody waits for. */
  readonly onError: (error: unknown) => void;
  /** Something that the directory has open offers something else now. */
  readonly onRefreshWanted: (directory: string, cause: MaintenanceCause) => void;
}

/**
 * Loads directories for runs and keeps each one open while a run uses it. Pass it to `createRuntime` if your
 * agent needs resources per directory, such as a config or a connection.
 *
 * @example
 * const workspaces = createWorkspaceHost({
 *   loader,
 *   onError: console.error,
 *   onRefreshWanted: () => {},
 * });
 * const runtime = await createRuntime({ agent, store: "holdfast.db", workspaces });
 */
export function createWorkspaceHost(options: HostOptions): WorkspaceHost {
  const { clock = systemClock, onError } = options;
  const ownKey = randomBytes(32);
  const closing = new AbortController();
  const directories = new Map<string, Directory>();
  const pins: Pins = { runs: new Map(), shares: new Map() };
  let number = 0;

  const directoryOf = (path: string): Directory => {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const made = openDirectory({
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
      const changes = await eachOf(affected, ([, directory]) =>
        kind === "close" ? directory.close() : directory.refresh(restart),
      );
      // What was being loaded meanwhile may have it too, and is retired by now.
      const since = changes.flatMap(({ retired }) => retired);
      const revoked = revokeIn(new Set([...before, ...since]), names);
      return appliedOf({ paths: affected.map(([path]) => path), changes, revoked, onError });
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

/** One answer for each, in order; some at a time, since each may start processes. */
async function eachOf<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const answers: U[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  return answers;
}
