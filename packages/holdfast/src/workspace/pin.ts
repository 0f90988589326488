import type { Directory } from "./directory.ts";
import type { Generation, Holder } from "./generation.ts";
import type { Pin } from "./workspaces.ts";

/** A pinned config version, and the run that keeps it open. */
export interface Held {
  readonly path: string;
  readonly directory: Directory;
  readonly generation: Generation;
  readonly holder: Holder;
}

/** All runs of this process that keep a config version open. */
export interface Pins {
  /** Config versions by the id of the run that keeps them open. */
  readonly runs: Map<string, Held>;
  /**
   * For each child session, the number of runs that let it use their config version. A child is removed when the last
   * of these runs releases its config version.
   */
  readonly shares: Map<string, number>;
}

export function pinOf(held: Held, pins: Pins): Pin {
  const { directory, generation, holder } = held;
  const { runs, shares } = pins;
  const children = new Set<string>();
  let released = false;
  return {
    workspace: generation.workspace,
    bind: (runId) => {
      if (released) return;
      holder.runId = runId;
      runs.set(runId, held);
      generation.changed();
    },
    share: (child) => {
      if (released || children.has(child)) return;
      children.add(child);
      shares.set(child, (shares.get(child) ?? 0) + 1);
    },
    release: () => {
      if (released) return;
      released = true;
      // Remove the run from the map only if the map still contains the object `held`: a later attempt of the same run
      // may have replaced it.
      if (holder.runId !== null && runs.get(holder.runId) === held) runs.delete(holder.runId);
      for (const child of children) {
        const left = (shares.get(child) ?? 1) - 1;
        if (left === 0) shares.delete(child);
        else shares.set(child, left);
      }
      directory.touch();
      generation.unpin(holder);
    },
  };
}
