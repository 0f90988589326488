import type { SessionDetail, WireEvent } from "@holdfast/sdk";

/** Which runs a person's own prompts are in, so that nobody answers in advance for the others. */
export interface OwnRuns {
  /** A prompt is one's own, also before it is sent. */
  prompt(promptId: string): void;
  join(session: SessionDetail): void;
  take(event: WireEvent): void;
  isOwn(run: { sessionId: string; runId: string }): boolean;
}

export function createOwnRuns(): OwnRuns {
  const own = new Set<string>();
  const prompts = new Map<string, Set<string>>();
  /** Children of a run are as much one's own as the run is. */
  const parents = new Map<string, { sessionId: string; runId: string }>();
  const note = (runId: string, promptIds: readonly string[]): void => {
    const known = prompts.get(runId) ?? new Set();
    for (const promptId of promptIds) known.add(promptId);
    prompts.set(runId, known);
  };
  const isOwn: OwnRuns["isOwn"] = ({ sessionId, runId }) => {
    const parent = parents.get(sessionId);
    if (parent !== undefined) return isOwn(parent);
    return [...(prompts.get(runId) ?? [])].some((promptId) => own.has(promptId));
  };
  return {
    isOwn,
    prompt: (promptId) => void own.add(promptId),
    join: ({ sessionId, parent, active }) => {
      if (parent !== null) parents.set(sessionId, parent);
      if (active?.kind === "run") note(active.runId, active.prompts);
    },
    take: (event) => {
      if (event.type === "run.started") note(event.runId, [event.promptId]);
      if (event.type === "prompt.takenIn" && event.runId !== null) {
        note(event.runId, [event.promptId]);
      }
      if (event.type === "child.linked") {
        const { sessionId, runId, childSessionId } = event;
        parents.set(childSessionId, { sessionId, runId });
      }
    },
  };
}
