import type { SessionHandle } from "@holdfast/sdk";
import type { Lines } from "../terminal/lines.ts";

/**
 * Prints how many prompts are before a waiting prompt, whenever the number changes. For a prompt that steers the active
 * run, prints when the prompt takes effect instead.
 */
export function createQueuePosition(
  session: SessionHandle,
  { promptId, lines }: { promptId: string; lines: Lines },
): { update(): Promise<void> } {
  let shown: string | null = null;
  let hasStarted = false;
  return {
    update: async () => {
      if (hasStarted) return;
      const { active, queue } = await session.get();
      const place = queue.findIndex((item) => item.kind === "prompt" && item.promptId === promptId);
      if (place === -1) {
        hasStarted = true;
        return;
      }
      const item = queue[place];
      const runId = active?.kind === "run" ? active.runId : undefined;
      const steers =
        item?.kind === "prompt" && runId !== undefined && item.binding?.runId === runId;
      const before = place + (active === null ? 0 : 1);
      const words = steers ? "joins the active run before its next model call" : placeText(before);
      if (before === 0 || words === shown) return;
      shown = words;
      lines.note(words);
      lines.waiting(steers ? "waiting for the active run" : "queued");
    },
  };
}

function placeText(before: number): string {
  return before === 1 ? "queued behind 1 prompt" : `queued behind ${before} prompts`;
}
