import { activeRun } from "./state.ts";
import type {
  BackgroundChild,
  ChildReference,
  LaneState,
  ParentLink,
  Run,
  UnsettledPrompt,
} from "./state.ts";

// The tree of prompts. If a run sends a prompt to a child session, the parent of that prompt is the prompt that started
// the run. If a background child sends its result back as a prompt, the result has the same parent as the child's own
// prompt. Each lane knows only its own prompts and their direct children.

/** A direct child of a lane's prompts that is live or has live descendants. */
export interface TreeChild extends BackgroundChild {
  /** True if the run that sent the child waits for it. */
  readonly foreground: boolean;
}

export function treeChildren(state: LaneState): TreeChild[] {
  const run = activeRun(state);
  const waited = run === null ? [] : run.children.filter((child) => child.outcome === null);
  return [
    ...waited.map((child) => ({ ...childOfRun(run, child), foreground: true })),
    ...state.background.map((child) => ({ ...child, foreground: false })),
    ...state.branches.map((child) => ({ ...child, foreground: false })),
  ];
}

/** Converts a run's foreground child to the form in which lanes store background children. */
export function childOfRun(run: Run | null, child: ChildReference): BackgroundChild {
  const { sessionId, promptId } = child;
  const starting = run?.prompts[0];
  return {
    sessionId,
    promptId,
    runId: run?.runId ?? "",
    acceptSeq: starting?.acceptSeq ?? 0,
    origin: starting === undefined ? null : originOf(starting),
  };
}

/** Returns the prompt that is the parent of everything that this prompt's run sends. */
export function originOf(prompt: Pick<UnsettledPrompt, "promptId" | "origin">): string {
  return prompt.origin ?? prompt.promptId;
}

/** Lists the unfinished prompts in this lane with which children of the given prompt have sent back their results. */
export function resultsUnder(state: LaneState, promptId: string): UnsettledPrompt[] {
  return unsettled(state).filter((prompt) => prompt.origin === promptId);
}

/** True if a descendant of the prompt is live, in this lane or in the lane of another session. */
export function hasDescendants(state: LaneState, promptId: string): boolean {
  return (
    state.background.some((child) => child.origin === promptId) ||
    state.branches.some((child) => child.origin === promptId) ||
    resultsUnder(state, promptId).length > 0
  );
}

export function isAncestor(state: LaneState, promptId: string): boolean {
  return state.ancestors.some((ancestor) => ancestor.promptId === promptId);
}

/** Returns the prompt's link to its parent; undefined if the prompt is settled and has no live descendants. */
export function parentOf(state: LaneState, promptId: string): ParentLink | null | undefined {
  const same = (prompt: { promptId: string }): boolean => prompt.promptId === promptId;
  return (unsettled(state).find(same) ?? state.ancestors.find(same))?.parent;
}

export function unsettled(state: LaneState): UnsettledPrompt[] {
  const waiting = state.queue.filter((item) => item.kind === "prompt");
  return [...(activeRun(state)?.prompts ?? []), ...waiting];
}

export function sameChild(left: ChildReference, right: ChildReference): boolean {
  return left.sessionId === right.sessionId && left.promptId === right.promptId;
}
