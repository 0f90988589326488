import type { SessionItem } from "./session-stream.ts";

/**
 * Tells what of a session's stream is about one prompt: the prompt itself, and each run that it is
 * in, from the moment that it enters. A run that it is returned from is no longer its own.
 */
export function concernsOf(promptId: string): (item: SessionItem) => boolean {
  const runs = new Set<string>();
  const children = new Set<string>();
  return (item) => {
    switch (item.type) {
      case "live":
      case "reset":
      case "draining":
        return true;
      case "run.started":
        if (item.promptId === promptId) runs.add(item.runId);
        return runs.has(item.runId);
      case "prompt.takenIn":
        if (item.promptId === promptId && item.runId !== null) runs.add(item.runId);
        return item.promptId === promptId || (item.runId !== null && runs.has(item.runId));
      case "prompt.returned":
        if (item.promptId !== promptId) return runs.has(item.runId);
        return runs.delete(item.runId);
      case "prompt.accepted":
      case "prompt.edited":
      case "prompt.moved":
      case "prompt.settled":
      case "prompt.tombstoned":
      case "prompt.unwanted":
        return item.promptId === promptId;
      case "child.linked":
        if (runs.has(item.runId)) children.add(childOf(item));
        return runs.has(item.runId);
      case "child.settled":
      case "branch.ended":
        return children.has(childOf(item));
      case "cancel.committed":
        return item.receipt.covered.some((covered) => covered.promptId === promptId);
      case "hold.placed":
        return item.hold.kind === "recovery" && runs.has(item.hold.runId);
      case "run.resumed":
      case "run.suspended":
      case "run.handedOver":
      case "run.stopping":
      case "run.closing":
      case "run.ended":
      case "run.waiting":
      case "run.woken":
      case "step.opened":
      case "step.answered":
      case "tool.started":
      case "tool.ended":
      case "ask.opened":
      case "ask.closed":
      case "delta":
      case "snapshot":
        return runs.has(item.runId);
      case "session.created":
      case "session.renamed":
      case "session.archived":
      case "session.deleted":
      case "hold.released":
      case "work.queued":
      case "work.started":
      case "work.stopping":
      case "work.ended":
        return false;
    }
  };
}

function childOf(link: { childSessionId: string; childPromptId: string }): string {
  return JSON.stringify([link.childSessionId, link.childPromptId]);
}
