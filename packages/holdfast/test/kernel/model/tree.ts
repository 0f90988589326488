import { findPrompt, originOf, runOf, waitingPrompts } from "./records.ts";
import type { ChildRecord, Lane, Model, Prompt, RunRecord } from "./records.ts";
import { cancelChild, enterMessages, settle, stopRun } from "./settle.ts";

// The tree of prompts, computed from all links: the model deletes no link.

/** Descendants of a lane that a cancel finds. */
export interface Below {
  /** Links on the way down, with the lane of each. */
  readonly links: { lane: Lane; link: ChildRecord }[];
  readonly results: { lane: Lane; prompt: Prompt }[];
  /** Live prompts that a run waits for, directly or indirectly, and all others. */
  readonly waitedFor: string[];
  readonly background: string[];
}

/** C7: the live descendants of those links, at any depth. */
export function lookBelow(model: Model, lane: Lane, links: readonly ChildRecord[]): Below {
  const below: Below = { links: [], results: [], waitedFor: [], background: [] };
  for (const link of links) follow(model, below, { lane, link, isBackground: link.background });
  return below;
}

function follow(
  model: Model,
  below: Below,
  step: { lane: Lane; link: ChildRecord; isBackground: boolean },
): void {
  const { lane, link, isBackground } = step;
  const childLane = model.lanes.get(link.sessionId);
  const prompt = childLane === undefined ? null : findPrompt(childLane, link.promptId);
  const isSent = prompt !== null && prompt.hash !== null && isFrom(prompt, lane, link);
  // A later link may name the prompt of a child that was never sent: this cancel does not reach that link.
  if (link.settled && !isSent) return;
  below.links.push({ lane, link });
  if (childLane === undefined) return;
  const live = isBackground ? below.background : below.waitedFor;
  if (prompt === null) {
    if (!link.settled) live.push(`${childLane.id}/${link.promptId}`);
    return;
  }
  if (!isSent) return;
  if (prompt.status !== "settled") live.push(`${childLane.id}/${prompt.id}`);
  for (const result of childLane.prompts) {
    if (result.under !== prompt || result.status === "settled") continue;
    below.background.push(`${childLane.id}/${result.id}`);
    below.results.push({ lane: childLane, prompt: result });
  }
  for (const next of childLane.links) {
    if (next.forgotten || originOf(next.sender) !== prompt) continue;
    const deeper = isBackground || next.background || prompt.status === "settled";
    follow(model, below, { lane: childLane, link: next, isBackground: deeper });
  }
}

/** C7: cancels all found prompts. None of their outcomes starts a run of a parent. */
export function coverBelow(model: Model, below: Below): void {
  for (const { lane, link } of below.links) {
    const parent = { sessionId: lane.id, runId: link.runId, background: link.background };
    model.outbox.push(() => cancelChild(model, lane, { child: link, parent, enforce: false }));
  }
  for (const { lane, prompt } of below.results) {
    model.outbox.push(() => cancelResult(model, lane, prompt));
  }
}

export function silence(model: Model, below: Below): void {
  for (const { lane, link } of below.links) {
    const prompt = findPromptOf(model, link);
    if (prompt !== null && isFrom(prompt, lane, link)) prompt.unwanted = true;
  }
}

function cancelResult(model: Model, lane: Lane, prompt: Prompt): void {
  const ending = { status: "cancelled", reason: "parentCancel" } as const;
  if (waitingPrompts(lane).includes(prompt)) {
    settle(model, lane, prompt, { ...ending, runId: null });
    enterMessages(model, lane);
    return;
  }
  const run: RunRecord | null = runOf(lane);
  if (run?.prompts[0] === prompt) stopRun(model, lane, run, { ending, mark: null });
}

function findPromptOf(model: Model, link: ChildRecord): Prompt | null {
  const lane = model.lanes.get(link.sessionId);
  return lane === undefined ? null : findPrompt(lane, link.promptId);
}

function isFrom(prompt: Prompt, lane: Lane, link: ChildRecord): boolean {
  return prompt.parent?.sessionId === lane.id && prompt.parent.runId === link.runId;
}
