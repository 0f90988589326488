import type { Workspace } from "../agent/agent.ts";
import type { MaintenanceProblem, PinningRun } from "../kernel/maintenance.ts";
import type { OpenGeneration, OpenResource } from "./host.ts";
import { warning } from "./loader.ts";
import type { Notice } from "./loader.ts";
import type { SharedResource } from "./resource.ts";

/** One loaded state of a directory, from its first pin or none to its teardown. */
export interface Generation {
  readonly workspace: Workspace;
  readonly digest: string;
  readonly resources: ReadonlyMap<string, SharedResource>;
  /** What could not be opened, by key. */
  readonly missing: ReadonlyMap<string, OpenResource>;
  /** Resources that offer something else by now than when it was made. */
  outdated(): readonly SharedResource[];
  /** Some resource is to be asked whether it has changed, since it does not tell at once. */
  readonly canBeOutdated: boolean;
  isOutdated(): Promise<boolean>;
  pin(holder: Holder): void;
  unpin(holder: Holder): void;
  isPinned(): boolean;
  /** The pins that a run's name is known of. */
  runs(): readonly PinningRun[];
  /** Told when a pin comes, goes, or gets its run's name. Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  /** Something about a holder has changed. */
  changed(): void;
  /** No run gets it any more: it goes with its last pin (M1). */
  retire(): void;
  /** It goes now, pinned or not: the process ends. */
  discard(): void;
  /** Resolves when its resources are closed that nobody else needs, with what went wrong. */
  readonly gone: Promise<readonly MaintenanceProblem[]>;
  view(): OpenGeneration;
}

/** Who has pinned it; without a run's name from the pin to the run's start. */
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
  /** What each resource offered, by key. */
  readonly versions: ReadonlyMap<string, string>;
  readonly missing: ReadonlyMap<string, OpenResource>;
}

export function createGeneration(content: GenerationContent): Generation {
  const { workspace, digest, resources, missing, number, loadedAt, notices } = content;
  const { directory, generation: id } = workspace;
  const holders = new Set<Holder>();
  const listeners = new Set<() => void>();
  const { promise: gone, resolve } = Promise.withResolvers<readonly MaintenanceProblem[]>();
  const silent = [...resources.values()].filter(({ resource }) => "isOutdated" in resource);
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
  const look = (): void => {
    if (status === "retired" && holders.size === 0) void tearDown();
  };
  return {
    workspace,
    digest,
    resources,
    missing,
    gone,
    runs,
    changed,
    outdated: () =>
      [...resources.values()].filter(
        ({ key, resource }) => resource.version() !== content.versions.get(key),
      ),
    canBeOutdated: silent.length > 0,
    isOutdated: async () => (await Promise.all(silent.map(hasChanged))).includes(true),
    isPinned: () => holders.size > 0,
    pin: (holder) => {
      holders.add(holder);
      changed();
    },
    unpin: (holder) => {
      if (!holders.delete(holder)) return;
      changed();
      look();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    retire: () => {
      status = "retired";
      look();
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
          return { key, title, resource, problem: null };
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
