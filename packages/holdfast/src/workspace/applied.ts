import type { PinningRun } from "../kernel/maintenance.ts";
import { isNamed } from "./boot.ts";
import type { Change } from "./directory.ts";
import type { Generation } from "./generation.ts";
import type { Applied } from "./host.ts";
import type { Resource } from "./loader.ts";

/** Builds the result of a reload or close, with methods that report which runs still use old config versions. */
export function appliedOf(done: {
  paths: readonly string[];
  changes: readonly Change[];
  /** For each config version, its resources that were revoked. */
  revoked: readonly Revoked[];
  onError: (error: unknown) => void;
}): Applied {
  const failures = done.changes.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  // If a change failed, the old config version stays in use, so there are no runs to wait for.
  const retired = done.changes.flatMap((change) => (change.problem === null ? change.retired : []));
  const tornDown = Promise.all(retired.map((generation) => generation.tornDown));
  return {
    directories: done.paths,
    failures,
    waitingFor: () => retired.flatMap((generation) => generation.runs()),
    revokedRuns: () => done.revoked.flatMap(usersOf),
    onChange: (listener) => {
      const notify = (): void => {
        try {
          listener();
        } catch (error) {
          done.onError(error);
        }
      };
      const unsubscribers = retired.map((generation) => generation.onChange(notify));
      return () => {
        for (const unsubscribe of unsubscribers) unsubscribe();
      };
    },
    ended: tornDown.then((problems) => problems.flat()),
  };
}

/** A config version and those of its resources that were revoked. */
export interface Revoked {
  readonly generation: Generation;
  readonly resources: readonly Resource[];
}

/** Revokes the resources with these names in all given config versions. */
export function revokeIn(
  generations: Iterable<Generation>,
  names: readonly string[],
): readonly Revoked[] {
  return [...generations].map((generation) => {
    const named = [...generation.resources.values()].filter(({ key }) => isNamed(key, names));
    for (const each of named) each.revoke();
    return { generation, resources: named.map(({ resource }) => resource) };
  });
}

function usersOf({ generation, resources }: Revoked): readonly PinningRun[] {
  return generation
    .runs()
    .filter(({ runId }) => resources.some((each) => each.isUsedBy?.(runId) ?? true));
}
