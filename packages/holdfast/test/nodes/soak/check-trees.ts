import type { LaneEvent, Receipt } from "../../../src/kernel/event.ts";

/** Results of the trees that were cancelled with `tree` (C7). */
export interface TreeFindings {
  readonly cancels: number;
  /** Live descendants that receipts have named. */
  readonly named: number;
  /** Prompts of a tree that completed after its cancel was committed. */
  readonly completed: readonly string[];
  /** Runs that started in a session of a tree after its cancel was committed. */
  readonly started: readonly string[];
  /** Results of covered prompts that reached a parent. */
  readonly woken: readonly string[];
  /** Prompts of a tree without an outcome. */
  readonly open: readonly string[];
}

type Logs = ReadonlyMap<string, readonly LaneEvent[]>;

export function judgeTrees(
  logs: Logs,
  trees: readonly { sessionId: string; receipt: Receipt }[],
): TreeFindings {
  const found = { completed: [], started: [], woken: [], open: [] } satisfies Lists;
  for (const { sessionId, receipt } of trees) judgeTree(logs, { sessionId, receipt, found });
  const named = trees.flatMap(({ receipt }) => [...receipt.children, ...receipt.background]);
  return { cancels: trees.length, named: named.length, ...found };
}

interface Lists {
  readonly completed: string[];
  readonly started: string[];
  readonly woken: string[];
  readonly open: string[];
}

function judgeTree(logs: Logs, tree: { sessionId: string; receipt: Receipt; found: Lists }): void {
  const { receipt, found } = tree;
  const commit = logs
    .get(tree.sessionId)
    ?.find(
      (event) => event.type === "cancel.committed" && event.receipt.cancelId === receipt.cancelId,
    );
  const covered = [...receipt.children, ...receipt.background];
  for (const sessionId of sessionsBelow(logs, tree.sessionId)) {
    const log = logs.get(sessionId) ?? [];
    // All events of one commit have the same time and actor, in every session.
    const cut = log.find((event) => commit !== undefined && isSameCommit(event, commit))?.seq;
    const settled = new Set<string>();
    for (const event of log) {
      const isAfter = cut !== undefined && event.seq > cut;
      const name = `${sessionId} seq ${event.seq}`;
      if (event.type === "run.started" && isAfter) found.started.push(name);
      if (event.type === "prompt.settled" || event.type === "prompt.tombstoned") {
        settled.add(event.promptId);
        const isCovered = covered.some(
          (prompt) => prompt.sessionId === sessionId && prompt.promptId === event.promptId,
        );
        if ((isAfter || isCovered) && event.outcome.status === "completed") {
          found.completed.push(name);
        }
      }
      if (event.type === "prompt.accepted" && event.resultOf !== null) {
        const { sessionId: from, promptId } = event.resultOf;
        const isCovered = covered.some(
          (prompt) => prompt.sessionId === from && prompt.promptId === promptId,
        );
        if (isCovered) found.woken.push(name);
      }
    }
    for (const event of log) {
      if (event.type === "prompt.accepted" && !settled.has(event.promptId)) {
        found.open.push(`${sessionId}/${event.promptId}`);
      }
    }
  }
}

function isSameCommit(left: LaneEvent, right: LaneEvent): boolean {
  return (
    left.at === right.at && left.actor.kind === right.actor.kind && left.actor.id === right.actor.id
  );
}

/** The root and every session that a run below it has sent a prompt to. */
function sessionsBelow(logs: Logs, root: string): Set<string> {
  const found = new Set([root]);
  for (const sessionId of found) {
    for (const event of logs.get(sessionId) ?? []) {
      if (event.type === "child.linked") found.add(event.childSessionId);
    }
  }
  return found;
}
