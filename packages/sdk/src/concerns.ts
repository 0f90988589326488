import type { SessionItem } from "./session-stream.ts";

/**
 * Returns a filter for the stream items of one prompt: items of the prompt itself, and of runs that the prompt has
 * joined. If a run returns the prompt to the queue, later items of that run are left out.
 */
export function concernsOf(promptId: string): (item: SessionItem) => boolean {
  const runs = new Set<string>();
  const children = new Set<string>();
  return (item) => {
    if (item.type === "live" || item.type === "reset" || item.type === "draining") return true;
    if (item.type === "prompt.returned" && item.promptId === promptId) {
      return runs.delete(item.runId);
    }
    if (item.type === "run.started" || item.type === "prompt.takenIn") {
      if (item.promptId === promptId && item.runId !== null) runs.add(item.runId);
    }
    if (item.type === "child.linked" && runs.has(item.runId)) children.add(childOf(item));
    if (item.type === "cancel.committed") {
      return item.receipt.covered.some((covered) => covered.promptId === promptId);
    }
    if (item.type === "hold.placed") {
      return item.hold.kind === "recovery" && runs.has(item.hold.runId);
    }
    // Item types that are not handled above, even unknown ones, belong to the run, prompt or child session that they
    // name.
    if ("runId" in item && item.runId !== null && runs.has(item.runId)) return true;
    if ("promptId" in item && item.promptId === promptId) return true;
    return "childPromptId" in item && children.has(childOf(item));
  };
}

function childOf(link: { childSessionId: string; childPromptId: string }): string {
  return JSON.stringify([link.childSessionId, link.childPromptId]);
}
