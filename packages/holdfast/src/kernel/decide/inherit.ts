import type { ParentRun } from "../facts.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import type { LaneState } from "../state.ts";

/**
 * Refuses to start a child's run if its config differs from the config of the parent run, which sent the child's prompt
 * (M7). If the parent run's process is gone, the child waits until the parent run is resumed. If the parent run has
 * ended or waits for a person, the child may start with any config.
 */
export function checkInherited(
  state: LaneState,
  start: { readonly generation: string | null; readonly parent: ParentRun | null },
): Refused | null {
  const { parent } = start;
  if (parent === null || parent.directory !== state.directory) return null;
  const wanted = contentOf(parent.run.generation);
  if (wanted === null || parent.run.condition.status === "closing") return null;
  const { runId, owner, condition } = parent.run;
  if (owner !== null && parent.owner.alive) {
    if (contentOf(start.generation) === wanted) return null;
    const message = `run ${runId} sent this prompt and uses another config version; only the server of that run can start the prompt`;
    return refuse({ code: "generation", parentRunId: runId }, message);
  }
  if (condition.status === "stopping" || parent.isHeld) return null;
  return refuse(
    { code: "generation", parentRunId: runId },
    `run ${runId} sent this prompt and was interrupted; resume that run first`,
  );
}

/**
 * Returns the digest in a config version's id, `<number>.<digest>`. Each node counts its own config versions; equal
 * digests mean equal content. Null for an agent with its own configuration.
 */
function contentOf(generation: string | null): string | null {
  const [, digest = null] = generation?.split(".") ?? [];
  return digest;
}
