import type { LedgerRow } from "./ledger.ts";
import type { Load, Loaded } from "./transaction.ts";
import type { ChildReference, LaneState } from "./state.ts";
import { originOf, parentOf, resultsUnder, sameChild, treeChildren, unsettled } from "./tree.ts";
import type { TreeChild } from "./tree.ts";

// Functions that visit a prompt, the prompts that its run sent to other sessions, and so on, inside one transaction.

/** A live descendant of a lane's prompts: a prompt that waits, runs, or has not arrived yet. */
export interface Descendant extends ChildReference {
  /** True if this prompt, or a prompt between it and the root of the tree, runs in the background. */
  readonly background: boolean;
  /** The direct child of this lane whose subtree contains the prompt; the prompt itself if it is a direct child. */
  readonly via: TreeChild;
}

/** Reads a lane, and the ledger row of one of its prompts. */
export type ReadLane = (
  sessionId: string,
  promptId: string | null,
) => Generator<Load, { state: LaneState | null; prompt: LedgerRow | null }, Loaded>;

/** Lists every live descendant of the lane's prompts, at any depth; parents come before their children. */
export function* descendantsOf(
  state: LaneState,
  read: ReadLane,
): Generator<Load, Descendant[], Loaded> {
  const found: Descendant[] = [];
  const open = treeChildren(state).map((child) => ({
    child,
    parent: state.sessionId,
    background: !child.foreground,
    via: child,
  }));
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { child, parent, background, via } = next;
    const { sessionId, promptId } = child;
    const lane = yield* read(sessionId, promptId);
    const row = lane.prompt;
    if (lane.state === null || (row !== null && !isSentBy(row, { parent, runId: child.runId }))) {
      continue;
    }
    if (row?.status !== "settled") found.push({ sessionId, promptId, background, via });
    if (row === null) continue;
    for (const result of resultsUnder(lane.state, promptId)) {
      found.push({ sessionId, promptId: result.promptId, background: true, via });
    }
    for (const each of treeChildren(lane.state)) {
      if (each.origin !== promptId) continue;
      const below = background || !each.foreground;
      open.push({ child: each, parent: sessionId, background: below, via });
    }
  }
  return found;
}

/**
 * Lists the ancestors of a prompt, nearest first; each may be in another lane. The parent of a background child's
 * result is the prompt that caused the child.
 */
export function* ancestorsOf(
  prompt: ChildReference,
  read: ReadLane,
): Generator<Load, ChildReference[], Loaded> {
  const found: ChildReference[] = [];
  let at: ChildReference | null = prompt;
  while (at !== null) {
    const { sessionId, promptId }: ChildReference = at;
    const lane: { state: LaneState | null } = yield* read(sessionId, null);
    at = lane.state === null ? null : yield* above(lane.state, promptId, read);
    if (at !== null) found.push(at);
  }
  return found;
}

function* above(
  state: LaneState,
  promptId: string,
  read: ReadLane,
): Generator<Load, ChildReference | null, Loaded> {
  const { sessionId } = state;
  const prompt = unsettled(state).find((each) => each.promptId === promptId);
  const origin = prompt === undefined ? promptId : originOf(prompt);
  if (origin !== promptId) return { sessionId, promptId: origin };
  const parent = parentOf(state, promptId) ?? null;
  if (parent === null) return null;
  const lane = yield* read(parent.sessionId, null);
  const own = lane.state === null ? [] : treeChildren(lane.state);
  const entry = own.find((child) => sameChild(child, { sessionId, promptId }));
  if (entry === undefined || entry.origin === null) return null;
  return { sessionId: parent.sessionId, promptId: entry.origin };
}

function isSentBy(row: LedgerRow, sender: { parent: string; runId: string }): boolean {
  return row.parent?.sessionId === sender.parent && row.parent.runId === sender.runId;
}
