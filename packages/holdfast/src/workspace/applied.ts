import type { PinningRun } from "../kernel/maintenance.ts";
import { isNamed } from "./boot.ts";
import type { Change } from "./directory.ts";
import type { Generation } from "./generation.ts";
import type { Applied } from "./host.ts";
import type { Resource } from "./loader.ts";

/** What has come of a request, and what is still to come of it. */
export function appliedOf(done: {
  paths: readonly string[];
  changes: readonly Change[];
  /** Generations with a provider that may not be used any more. */
  revoked: readonly Revoked[];
  onError: (error: unknown) => void;
}): Applied {
  const failures = done.changes.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  // Where the old state stays in use there is nothing to wait for.
  const retired = done.changes.flatMap((change) => (change.problem === null ? change.retired : []));
  const gone = Promise.all(retired.map((generation) => generation.gone));
  return {
    directories: done.paths,
    failures,
    waitingFor: () => retired.flatMap((generation) => generation.runs()),
    revokedRuns: () => done.revoked.flatMap(usersOf),
    onChange: (listener) => {
      const tell = (): void => {
        try {
          listener();
        } catch (error) {
          done.onError(error);
        }
      };
      const stops = retired.map((generation) => generation.onChange(tell));
      return () => {
        for (const stop of stops) stop();
      };
    },
    ended: gone.then((problems) => problems.flat()),
  };
}

/** A generation, and those of its resources that serve nobody any more. */
export interface Revoked {
  readonly generation: Generation;
  readonly resources: readonly Resource[];
}

/** Resources under these names serve nobody any more. */
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
