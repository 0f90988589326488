import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../../kernel/event.ts";
import { resultId } from "../../kernel/facts.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import { activeRun } from "../../kernel/state.ts";
import type { ChildReference, LaneState, Outcome } from "../../kernel/state.ts";
import { isAncestor, sameChild } from "../../kernel/tree.ts";
import type { StoreReader } from "../store.ts";

// A child's outcome and its record at the parent are written in one commit (C7). So if one of them can be read, a later
// read must find the other.

/** Checks an event that links two sessions. Returns null if the event refers to no other session. */
export async function examineLink(reader: StoreReader, event: LaneEvent): Promise<string[] | null> {
  if (event.type === "child.settled") {
    const { childSessionId: sessionId, childPromptId: promptId, outcome } = event;
    return examineReported(reader, {
      parent: event.sessionId,
      child: { sessionId, promptId },
      outcome,
    });
  }
  if (event.type !== "prompt.accepted") return null;
  if (event.resultOf !== null) {
    const { outcome, ...child } = event.resultOf;
    const problems = await examineReported(reader, { parent: event.sessionId, child, outcome });
    if (event.promptId === resultId(child.promptId)) return problems;
    return [...problems, `C7: the result of ${child.promptId} has the wrong id ${event.promptId}`];
  }
  return event.parent === null ? null : examineChild(reader, event);
}

/** Checks that the children that the lane waits for have no outcome yet. */
export async function examineWaiting(reader: StoreReader, state: LaneState): Promise<string[]> {
  const problems: string[] = [];
  for (const child of waitedFor(state)) {
    const row = await reader.prompt(child.sessionId, child.promptId);
    if (row?.status !== "settled" || !belongsTo(row, state.sessionId)) continue;
    const now = await reader.lane(state.sessionId);
    if (now !== null && waitedFor(now).some((other) => sameChild(child, other))) {
      problems.push(`C7: the outcome of ${nameOf(child)} never reached this session`);
    }
  }
  return problems;
}

/** Checks that the outcome recorded at the parent equals the child's outcome. */
async function examineReported(
  reader: StoreReader,
  reported: { parent: string; child: ChildReference; outcome: Outcome },
): Promise<string[]> {
  const { parent, child, outcome } = reported;
  const row = await reader.prompt(child.sessionId, child.promptId);
  // The child's prompt was refused or never sent, so there is no outcome to compare.
  if (row === null || !belongsTo(row, parent)) return [];
  if (row.status !== "settled")
    return [`C7: ${nameOf(child)} is not settled, but its parent has recorded an outcome`];
  if (isDeepStrictEqual(row.outcome, outcome)) return [];
  return [`C7: ${nameOf(child)} has another outcome than its parent has recorded`];
}

/**
 * Checks that the parent session of this prompt exists. If the prompt ran in the background and has ended, also checks
 * that the parent session has received the prompt's result.
 */
async function examineChild(
  reader: StoreReader,
  event: Extract<LaneEvent, { type: "prompt.accepted" }>,
): Promise<string[]> {
  const { parent, sessionId, promptId } = event;
  if (parent === null) return [];
  const row = await reader.prompt(sessionId, promptId);
  const lane = await reader.lane(parent.sessionId);
  if (lane === null)
    return [`C7: prompt ${promptId} has a parent ${parent.sessionId} that does not exist`];
  if (row?.status !== "settled" || !parent.background) return [];
  // A cancelled child sends no result, and a deleted session accepts none.
  if (row.outcome.reason === "parentCancel" || lane.status === "deleted") return [];
  const result = await reader.prompt(parent.sessionId, resultId(promptId));
  if (result !== null || (await isUnwanted(reader, event))) return [];
  return [`C7: the result of background prompt ${promptId} is not in session ${parent.sessionId}`];
}

/**
 * True if the prompt was running when someone cancelled it together with its parent (a cancel with `tree`). The parent
 * then gets no result.
 */
async function isUnwanted(
  reader: StoreReader,
  { sessionId, promptId, seq }: Extract<LaneEvent, { type: "prompt.accepted" }>,
): Promise<boolean> {
  const limit = 200;
  for (let after = seq; ;) {
    const events = await reader.events(sessionId, { after, limit });
    for (const event of events) {
      if (event.type === "prompt.unwanted" && event.promptId === promptId) return true;
      if (event.type === "prompt.settled" && event.promptId === promptId) return false;
    }
    const last = events.at(-1);
    if (last === undefined) return false;
    after = last.seq;
  }
}

/**
 * Checks `branches`, the list of finished child prompts that still have unfinished descendants. Reports each listed
 * child that has none.
 */
export async function examineBranches(reader: StoreReader, state: LaneState): Promise<string[]> {
  const problems: string[] = [];
  for (const branch of state.branches) {
    const child = await reader.lane(branch.sessionId);
    if (child !== null && isAncestor(child, branch.promptId)) continue;
    const now = await reader.lane(state.sessionId);
    if (now?.branches.some((other) => sameChild(branch, other)) === true) {
      problems.push(`C7: ${nameOf(branch)} is kept as a branch but has no live descendants`);
    }
  }
  return problems;
}

function waitedFor(state: LaneState): ChildReference[] {
  const children = activeRun(state)?.children.filter(({ outcome }) => outcome === null) ?? [];
  return [...state.background, ...children];
}

function belongsTo(row: LedgerRow, parent: string): boolean {
  return row.parent?.sessionId === parent;
}

function nameOf(child: ChildReference): string {
  return `child prompt ${child.promptId} in session ${child.sessionId}`;
}
