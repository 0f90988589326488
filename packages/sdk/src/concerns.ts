import type { SessionItem } from "./session-stream.ts";

/**
 * Tells what of a session's stream is about one prompt: the prompt itself, and each run that it is
 * in, from the moment that it enters. A run that it is returned from is no longer its own.
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
    // Every other item, also of a type to come, is about the run, prompt or child that it names.
    if ("runId" in item && item.runId !== null && runs.has(item.runId)) return true;
    if ("promptId" in item && item.promptId === promptId) return true;
    return "childPromptId" in item && children.has(childOf(item));
  };
}

function childOf(link: { childSessionId: string; childPromptId: string }): string {
  return JSON.stringify([link.childSessionId, link.childPromptId]);
}
