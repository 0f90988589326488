import type { Workspace } from "../agent/agent.ts";
import type { MaintenanceProblem, PinningRun } from "../kernel/maintenance.ts";
import type { OpenGeneration, OpenResource } from "./host.ts";
import { warning } from "./loader.ts";
import type { FilePlace, Notice } from "./loader.ts";
import type { SharedResource } from "./resource.ts";

/** A config version: one loaded state of a directory, from its load to its teardown. */
export interface Generation {
  readonly workspace: Workspace;
  readonly digest: string;
  readonly resources: ReadonlyMap<string, SharedResource>;
  /** Resources that could not be opened, by key. */
  readonly missing: ReadonlyMap<string, OpenResource>;
  /** Returns the resources whose version has changed since this config version was built. */
  outdated(): readonly SharedResource[];
  /** True if some resources must be checked before each run, because they do not report every change immediately. */
  readonly canBeOutdated: boolean;
  isOutdated(): Promise<boolean>;
  pin(holder: Holder): void;
  unpin(holder: Holder): void;
  isPinned(): boolean;
  /** Lists the runs that have started and keep this config version open. */
  runs(): readonly PinningRun[];
  /**
   * Calls the listener when a run starts or stops using this config version, or when the id of such a run becomes
   * known. Returns the unsubscribe function.
   */
  onChange(listener: () => void): () => void;
  /**
   * Calls the listeners of `onChange`. Call `changed` after changing the data of a run that uses this config version.
   */
  changed(): void;
  /** Retires the config version: new runs do not use it, and it is torn down after the last run that uses it (M1). */
  retire(): void;
  /** Tears down the config version immediately, even if runs use it, because the process is about to end. */
  discard(): void;
  /**
   * Resolves when the resources of this config version are closed, except those that another config version needs. The
   * value lists the problems that occurred.
   */
  readonly tornDown: Promise<readonly MaintenanceProblem[]>;
  view(): OpenGeneration;
}

/** A run that keeps a config version open. `runId` is null until the run starts. */
export interface Holder {
  readonly sessionId: string;
  runId: string | null;
}

export interface GenerationContent {
  readonly number: number;
  readonly digest: string;
  readonly loadedAt: number;
  readonly workspace: Workspace;
  readonly notices: readonly Notice[];
  readonly resources: ReadonlyMap<string, SharedResource>;
  /** Version of each resource when the config version was built, by resource key. */
  readonly versions: ReadonlyMap<string, string>;
  readonly missing: ReadonlyMap<string, OpenResource>;
  /** Places of resources in config files, by resource key. */
  readonly places: ReadonlyMap<string, FilePlace>;
}

export function createGeneration(content: GenerationContent): Generation {
  const { workspace, digest, resources, missing, places, number, loadedAt, notices } = content;
  const { directory, generation: id } = workspace;
  const holders = new Set<Holder>();
  const listeners = new Set<() => void>();
  const { promise: tornDown, resolve } = Promise.withResolvers<readonly MaintenanceProblem[]>();
  const checkable = [...resources.values()].filter(({ resource }) => "isOutdated" in resource);
  let status: "current" | "retired" | "gone" = "current";
  for (const resource of resources.values()) resource.retain();

  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const runs = (): readonly PinningRun[] =>
    [...holders].flatMap(({ sessionId, runId }) =>
      runId === null ? [] : [{ directory, sessionId, runId }],
    );
  const tearDown = async (): Promise<void> => {
    status = "gone";
    const problems = await Promise.all([...resources.values()].map((each) => each.release()));
    resolve(problems.flatMap((message) => (message === null ? [] : [{ directory, message }])));
    listeners.clear();
  };
  const tearDownIfUnused = (): void => {
    if (status === "retired" && holders.size === 0) void tearDown();
  };
  return {
    workspace,
    digest,
    resources,
    missing,
    tornDown,
    runs,
    changed,
    outdated: () =>
      [...resources.values()].filter(
        ({ key, resource }) => resource.version() !== content.versions.get(key),
      ),
    canBeOutdated: checkable.length > 0,
    isOutdated: async () => (await Promise.all(checkable.map(hasChanged))).includes(true),
    isPinned: () => holders.size > 0,
    pin: (holder) => {
      holders.add(holder);
      changed();
    },
    unpin: (holder) => {
      if (!holders.delete(holder)) return;
      changed();
      tearDownIfUnused();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retire: () => {
      status = "retired";
      tearDownIfUnused();
    },
    discard: () => {
      if (status !== "gone") void tearDown();
    },
    view: () => ({
      id,
      number,
      digest,
      loadedAt,
      workspace,
      notices: [...notices, ...[...resources.values()].flatMap(noticeOf)],
      resources: [
        ...[...resources.values()].map(({ key, title, resource }) => {
          return { key, title, place: places.get(key) ?? null, resource, problem: null };
        }),
        ...missing.values(),
      ],
      pins: runs(),
    }),
  };
}

function noticeOf({ resource }: SharedResource): readonly Notice[] {
  const message = resource.notice?.() ?? null;
  return message === null ? [] : [warning(message)];
}

async function hasChanged({ resource }: SharedResource): Promise<boolean> {
  return (await resource.isOutdated?.()) === true;
}
