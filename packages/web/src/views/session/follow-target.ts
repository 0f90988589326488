import { promptEntryId } from "@holdfast/model/conversation.ts";
import { originEntryId } from "@holdfast/model/origin-entry.ts";
import { createEffect, on } from "solid-js";
import { holdfast } from "../../state/client.ts";
import type { OpenSession } from "../../state/open-session.ts";
import { attempt } from "../../state/show-error.ts";
import { focusTarget, setFocusTarget } from "./focus-target.ts";
import type { FocusTarget } from "./focus-target.ts";

/** Scrolls to each new focus target of the session, after loading the log around it. */
export function followTarget(
  open: OpenSession,
  onFound: (entryId: string, target: FocusTarget) => void,
): void {
  createEffect(
    on([focusTarget, open.status], ([target, status]) => {
      if (status !== "ready" || target?.sessionId !== open.sessionId) return;
      setFocusTarget(null);
      void attempt(async () => {
        const entryId = await findEntry(open, target);
        if (entryId !== null) onFound(entryId, target);
      });
    }),
  );
}

/**
 * Finds the entry of the conversation that shows the event or prompt to scroll to. Null if there is no such entry, for
 * example because the prompt is still queued.
 */
async function findEntry(open: OpenSession, { at }: FocusTarget): Promise<string | null> {
  if ("seq" in at) {
    await open.reach(at.seq);
    return open.entryAt(at.seq) ?? (at.seq === 1 ? originEntryId(open.origin(), at) : null);
  }
  const entryId = promptEntryId(at.promptId);
  if (open.conversation().places.has(entryId)) return entryId;
  const prompt = await holdfast.session(open.sessionId).promptById(at.promptId).get();
  await open.reach(prompt.acceptSeq);
  return open.conversation().places.has(entryId) ? entryId : null;
}
