import { callKind } from "./call-title.ts";
import type { CallView, Conversation, StepEntry } from "./conversation.ts";

/** One displayed row of a step: a single call, or several successive calls that only read. */
export type CallRow =
  | { readonly kind: "call"; readonly call: CallView }
  | { readonly kind: "looks"; readonly calls: readonly CallView[] };

/** Merges successive calls that only read into one row. A call that people should see keeps its own row. */
export function foldCalls(calls: readonly CallView[]): readonly CallRow[] {
  const rows: CallRow[] = [];
  for (const call of calls) {
    const last = rows.at(-1);
    if (!isQuietLook(call) || last === undefined) rows.push({ kind: "call", call });
    else if (last.kind === "looks") {
      rows[rows.length - 1] = { kind: "looks", calls: [...last.calls, call] };
    } else if (isQuietLook(last.call)) {
      rows[rows.length - 1] = { kind: "looks", calls: [last.call, call] };
    } else rows.push({ kind: "call", call });
  }
  return rows;
}

/** True if the tool only reads, the call succeeded, and the call returned no image to the model. */
function isQuietLook(call: CallView): boolean {
  return (
    callKind(call.name) === "look" &&
    call.status === "completed" &&
    call.files.length === 0 &&
    call.askId === null &&
    call.child === null
  );
}

/**
 * Whether the entry at this index is shown as a part of the step before it: both steps only read, and the model wrote
 * no text in between.
 */
export function isJoined({ entries }: Conversation, place: number): boolean {
  const [before, entry] = [entries[place - 1], entries[place]];
  if (before?.kind !== "step" || entry?.kind !== "step" || before.runId !== entry.runId) {
    return false;
  }
  return (
    entry.text === "" &&
    !entry.isSummary &&
    !before.isInterrupted &&
    onlyReads(before) &&
    onlyReads(entry)
  );
}

function onlyReads({ calls, answeredAt }: StepEntry): boolean {
  return answeredAt !== null && calls.length > 0 && calls.every(isQuietLook);
}

/** Returns the steps that are shown as a part of this one, in order. */
export function joinedSteps(conversation: Conversation, stepId: string): readonly StepEntry[] {
  const steps: StepEntry[] = [];
  const first = conversation.places.get(stepId) ?? Infinity;
  for (let place = first + 1; isJoined(conversation, place); place += 1) {
    const entry = conversation.entries[place];
    if (entry?.kind === "step") steps.push(entry);
  }
  return steps;
}

/** Returns the id of the row that shows an entry. */
export function rowOf(conversation: Conversation, id: string): string {
  let place = conversation.places.get(id);
  if (place === undefined) return id;
  while (isJoined(conversation, place)) place -= 1;
  return conversation.entries[place]?.id ?? id;
}

/** Number of calls that only read, by kind. */
export interface LookCounts {
  readonly read: number;
  readonly searched: number;
  readonly listed: number;
}

export function countLooks(calls: readonly CallView[]): LookCounts {
  const named = (...names: readonly string[]): number =>
    calls.filter(({ name }) => names.includes(name)).length;
  const [read, listed] = [named("read"), named("list")];
  return { read, listed, searched: calls.length - read - listed };
}
